import { hostileClones } from './clones.js';
import { hostileConfigurations } from './configurations.js';
import { hostileDockerfiles } from './dockerfiles.js';
import { hostileFeatures } from './features.js';
import { hostileImages } from './images.js';
import { hostileRebuilds } from './rebuilds.js';

/** All hostile repositories. Add one for each new attack that becomes known. */
export const corpus = [
  ...hostileFeatures,
  ...hostileConfigurations,
  ...hostileDockerfiles,
  ...hostileImages,
  ...hostileClones,
  ...hostileRebuilds,
];

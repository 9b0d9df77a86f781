// provision-workspace: ReleaseWorkspace (undo of PlaceWorkspace)
import { releasePlace } from '../../domain/workspaces/release-place.js';
import { step } from '../../edge/step.js';
import { Life } from '../life.js';

export const handler = step(Life, ({ input, table, now }) => releasePlace(table, input, now));

import { join } from 'node:path';
import { buildRelease } from './agent-binaries/build-release.js';
import { findPlatform, platforms } from './agent-binaries/platforms.js';
import { currentRelease } from './agent-binaries/release.js';

/**
 * `npm run agent:build [-- linux-amd64 …]`: the agent as single executables, into
 * dist/agents/<commit>.
 */
const names = process.argv.slice(2);
const wanted = names.length > 0 ? names.map(findPlatform) : platforms;
const parent = join(import.meta.dirname, '../dist/agents');
const release = currentRelease();
if (release.isModified) console.log('Files differ from the commit: this build cannot be released.');
const { folder } = await buildRelease({
  release,
  platforms: wanted,
  parent,
  onBuilt: ({ file, size, sha256 }) =>
    console.log(`${file}  ${(size / 1e6).toFixed(0)} MB  sha256 ${sha256}`),
});
console.log(`Built ${folder}`);

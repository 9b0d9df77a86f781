// Starts the cloud of the end-to-end tests, writes what they must know of it, and ends it on a
// signal: `tsx test/support/keep-cloud.ts <file>`, by scripts/test-e2e.mjs.

import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { startSharedCloud } from './shared-cloud.js';

const [path = ''] = process.argv.slice(2);
const ended = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
const shared = await startSharedCloud(process.env.AWS_ENDPOINT_URL);
// It holds cookies of people who are signed in.
writeFileSync(`${path}.new`, JSON.stringify({ pid: process.pid, cloud: shared.provided }), { mode: 0o600 });
renameSync(`${path}.new`, path);
await ended;
rmSync(path, { force: true });
await shared[Symbol.asyncDispose]();
process.exit(0);

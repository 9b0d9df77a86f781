// npm test: installs what is missing, builds, runs every ring. Vitest's own summary closes the run.
import { installOrLeave } from './install.mjs';
import { root, run } from './run.mjs';
import { step } from './step.mjs';

await installOrLeave(root);
const built = await step('Building\n', () => run('tsx', ['scripts/build.ts']));
if (built !== 0) process.exit(built);
process.exitCode = await run('vitest', ['run', ...process.argv.slice(2)]);

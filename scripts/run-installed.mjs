// `node scripts/run-installed.mjs <file.ts> [arguments]`: installs what is missing, then runs the
// script.
import { installOrLeave } from './install.mjs';
import { root, run } from './run.mjs';

await installOrLeave(root);
process.exitCode = await run('tsx', process.argv.slice(2));

// npm run adversary: the long run of test/adversary, against the same emulator and cloud that npm
// test uses.
import { installOrLeave } from './install.mjs';
import { root, run } from './run.mjs';
import { step } from './step.mjs';

await installOrLeave(root);
const built = await step('Building\n', () => run('tsx', ['scripts/build.ts']));
if (built !== 0) process.exit(built);
process.env.ADVERSARY = 'long';
process.exitCode = await run('vitest', ['run', 'test/adversary', ...process.argv.slice(2)]);

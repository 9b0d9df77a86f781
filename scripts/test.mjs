// npm test: installs what is missing, builds, and runs the unit, integration and end-to-end tests.
import { installOrLeave } from './install.mjs';
import { installPythonToolOrLeave, schemathesis } from './install-python-tool.mjs';
import { root, run } from './run.mjs';
import { step } from './step.mjs';

await installOrLeave(root);
await installPythonToolOrLeave(root, schemathesis);
const built = await step('Building\n', () => run('tsx', ['scripts/build.ts']));
if (built !== 0) process.exit(built);
process.exitCode = await run('vitest', ['run', ...process.argv.slice(2)]);

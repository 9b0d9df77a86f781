// npm test: installs what is missing, builds, and runs the unit, integration and end-to-end tests.
import { installOrLeave } from './install.mjs';
import { installPythonToolOrLeave, schemathesis } from './install-python-tool.mjs';
import { root, run } from './run.mjs';

await installOrLeave(root);
await installPythonToolOrLeave(root, schemathesis);
process.exitCode = await run('tsx', ['scripts/test-run/main.ts', ...process.argv.slice(2)]);

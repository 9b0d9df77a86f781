// npm start: owns the state folder, installs what is missing, then runs local/main.ts on Node 24.
import { installOrLeave } from './install.mjs';
import { ownStateOrLeave } from './own-state.mjs';
import { root, run } from './run.mjs';

const startedAt = Date.now();
console.log('Berth on this machine\n');
ownStateOrLeave('Use it, or stop it with Ctrl-C in its terminal.');
await installOrLeave(root);
process.exitCode = await run('node', ['--import', 'tsx', 'local/main.ts', ...process.argv.slice(2)], {
  ...process.env,
  BERTH_LAUNCHER_PID: String(process.pid),
  BERTH_STARTED_AT: String(startedAt),
});

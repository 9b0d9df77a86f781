// npm start: installs what is missing, then hands over to local/main.ts on Node 24.
import { install } from './install.mjs';
import { root, run } from './run.mjs';
import { leave } from './step.mjs';

console.log('Berth on this machine\n');
try {
  await install(root);
} catch (error) {
  leave(error);
}
process.exitCode = await run('node', ['--import', 'tsx', 'local/main.ts'], {
  ...process.env,
  BERTH_LAUNCHER_PID: String(process.pid),
});

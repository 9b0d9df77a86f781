// npm run reset: deletes the state of the laptop cloud. Refused while it runs: its processes would
// write the state again.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';
import { leave, Stop } from './step.mjs';

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

try {
  const state = process.env.BERTH_STATE_DIR || join(root, '.berth');
  const lock = join(state, 'run/main.json');
  if (existsSync(lock) && isAlive(JSON.parse(readFileSync(lock, 'utf8')).pid)) {
    throw new Stop(
      'Berth is running in this checkout. Stop it with Ctrl-C in its terminal, then run: npm run reset',
    );
  }
  if (existsSync(join(state, 'ec2')) && existsSync(join(root, 'node_modules/tsx'))) {
    if ((await run('tsx', ['local/remove-node-containers.ts', state])) !== 0)
      throw new Stop(
        'The containers of its nodes could not be removed, so nothing was deleted. Check that the Docker engine runs, and try again.',
      );
  }
  // The installed emulator is no state. It stays, so that the next start does not install it again.
  const kept = new Set(['venv']);
  const entries = existsSync(state) ? readdirSync(state).filter((name) => !kept.has(name)) : [];
  for (const name of entries) rmSync(join(state, name), { recursive: true, force: true });
  console.log(
    entries.length === 0
      ? 'Nothing to delete.'
      : `Deleted: ${entries.join(', ')}. The next npm start deploys everything again.`,
  );
} catch (error) {
  leave(error);
}

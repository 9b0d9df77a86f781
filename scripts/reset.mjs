// npm run reset: deletes the state of the laptop cloud. Refused while it runs: its processes would
// write the state again.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ownerFile } from '../local/processes/state-owner.mjs';
import { ownStateOrLeave, stateDir } from './own-state.mjs';
import { root, run } from './run.mjs';
import { leave, Stop } from './step.mjs';

try {
  ownStateOrLeave('Stop it with Ctrl-C in its terminal, then run: npm run reset');
  // An installation is no state: the emulator, and a gigabyte of coding agents.
  const kept = new Set(['venv', 'harnesses', ownerFile]);
  const entries = readdirSync(stateDir).filter((name) => !kept.has(name));
  if (existsSync(join(root, 'node_modules/tsx'))) {
    if ((await run('tsx', ['local/remove-leftovers.ts', stateDir])) !== 0)
      throw new Stop(
        'The containers of its nodes could not be removed, so nothing was deleted. Check that the Docker engine runs, and try again.',
      );
  }
  for (const name of [...entries, 'run']) rmSync(join(stateDir, name), { recursive: true, force: true });
  console.log(
    entries.length === 0
      ? 'Nothing to delete.'
      : `Deleted: ${entries.join(', ')}. The next npm start deploys everything again.`,
  );
} catch (error) {
  leave(error);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'vitest';

it('waits for a process that does not end', async () => {
  await once(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }), 'exit');
});

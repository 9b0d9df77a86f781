import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import { CredentialServer } from './credential-server.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);

it('closes although a program of the workspace holds on to it, or waits for a token that does not come', async () => {
  const asked = Promise.withResolvers<void>();
  const server = new CredentialServer(() => {
    asked.resolve();
    return new Promise(() => undefined);
  }, log);
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  await server.open('w', folder);
  const [slow, waiting] = [connect(join(folder, 'git.sock')), connect(join(folder, 'git.sock'))];
  // Never silent for long enough to be given up.
  const typing = setInterval(() => slow.write('a'), 100);
  slow.on('error', () => undefined);
  await once(slow, 'connect');
  waiting.end('action=get\nprotocol=https\nhost=code.example\n');
  await asked.promise;

  await server[Symbol.asyncDispose]();

  clearInterval(typing);
  await Promise.all([slow, waiting].map(async (socket) => socket.closed || (await once(socket, 'close'))));
  expect([slow.bytesRead, waiting.bytesRead]).toEqual([0, 0]);
});

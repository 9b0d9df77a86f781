import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import { answerCredentialRequest, CredentialServer } from './credential-server.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);

it('closes while programs hold connections or wait for a token', async () => {
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

const token = {
  token: 'fresh',
  username: 'x-access-token',
  expiresAt: '2026-01-01T00:00:00Z',
  host: 'code.example.com',
  cloneUrl: 'https://code.example.com/octo/hello.git',
};
let rejected: string[] = [];
const source = {
  token: async () => token,
  reject: (token: string) => {
    rejected.push(token);
  },
};

it('answers only for the code host of the workspace', async () => {
  const request = 'action=get\ntimeout=900\nprotocol=https\nhost=code.example.com\npath=octo/hello.git\n';

  expect(await answerCredentialRequest(request, source)).toBe('username=x-access-token\npassword=fresh\n');
});

it.each([
  ['another host', 'action=get\nprotocol=https\nhost=evil.example.com\n'],
  ['another protocol', 'action=get\nprotocol=http\nhost=code.example.com\n'],
  ['a request to store', 'action=store\nprotocol=https\nhost=code.example.com\npassword=x\n'],
  ['rubbish', 'hello'],
])('says nothing to %s', async (_, request) => {
  expect(await answerCredentialRequest(request, source)).toBe('');
});

it('answers for a code host on this machine at its address in containers', async () => {
  const local = { ...token, cloneUrl: 'http://localhost:8790/octo/hello.git' };
  const inside = { ...source, token: async () => local, loopbackAlias: '172.17.0.1' };
  const ask = (host: string) => answerCredentialRequest(`action=get\nprotocol=http\nhost=${host}\n`, inside);

  expect(await ask('172.17.0.1:8790')).toContain('password=fresh');
  expect(await ask('localhost:8790')).toContain('password=fresh');
  expect(await ask('172.17.0.1:80')).toBe('');
});

it('reports the token that the code host refused', async () => {
  rejected = [];

  await answerCredentialRequest(
    'action=erase\nprotocol=https\nhost=code.example.com\nusername=x-access-token\npassword=fresh\n',
    source,
  );

  expect(rejected).toEqual(['fresh']);
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Log } from '../shared/log.js';
import { KeySet, KeysNotKnown } from './key-set.js';

let server: Server;
let keys: KeySet;
let published: JWK[] | null;
let asked: number;

beforeEach(async () => {
  asked = 0;
  published = [await keyNamed('one')];
  server = createServer((_, response) => {
    asked += 1;
    if (published === null) response.writeHead(503).end();
    else response.end(JSON.stringify({ keys: published }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  keys = new KeySet(url, 5_000, new Log({ level: 'error', format: 'json' }, () => undefined));
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});

afterEach(async () => {
  vi.useRealTimers();
  await keys[Symbol.asyncDispose]();
  server.close();
});

async function keyNamed(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('Ed25519');
  return { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' };
}

const find = (kid: string) => keys.find({ alg: 'EdDSA', kid }, { payload: '', signature: '' });

it('uses loaded keys without another request while the control plane does not answer', async () => {
  await keys.start();
  published = null;

  await expect(find('one')).resolves.toBeDefined();
  expect(asked).toBe(1);
});

it('reloads once for unknown keys, and at most every ten seconds', async () => {
  await keys.start();
  published = [await keyNamed('one'), await keyNamed('two')];
  vi.advanceTimersByTime(10_000);

  expect(keys.edition).toBe(1);
  await expect(find('two')).resolves.toBeDefined();
  expect(keys.edition).toBe(2);
  await expect(find('forged')).rejects.toThrow();
  await expect(find('forged as well')).rejects.toThrow();
  expect(asked).toBe(2);

  vi.advanceTimersByTime(10_000);
  await expect(Promise.allSettled([find('forged'), find('forged too')])).resolves.toHaveLength(2);
  expect(asked).toBe(3);
});

it('reloads for a new key also when the clock was set back', async () => {
  await keys.start();
  published = [await keyNamed('two')];
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(10_000);

  await expect(find('two')).resolves.toBeDefined();
});

it('keeps its keys when a reload fails', async () => {
  await keys.start();
  published = null;
  vi.advanceTimersByTime(10_000);

  await expect(find('two')).rejects.toThrow();
  await expect(find('one')).resolves.toBeDefined();
  expect(keys.edition).toBe(1);
});

it('reports that no keys are loaded', async () => {
  published = null;

  await expect(find('one')).rejects.toThrow(KeysNotKnown);
});

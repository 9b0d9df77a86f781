import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProviderCheck } from '../../../lambdas/domain/credentials/provider-check.js';

/** A provider on loopback that answers each request with a status. */
interface Asked {
  readonly path: string | undefined;
  readonly key: string | string[] | undefined;
}

let status: number;
let asked: Asked[];
const server = createServer(({ url, headers }, response) => {
  asked.push({ path: url, key: headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization });
  // A status of 0: no answer at all.
  if (status === 0) response.destroy();
  else response.writeHead(status).end('{}');
});
const logged: unknown[] = [];
const log = { warn: (...line: unknown[]) => void logged.push(line) } as never;
const now = new Date('2026-11-23T10:00:00Z');
let check: ProviderCheck;

beforeEach(async () => {
  asked = [];
  logged.length = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  check = new ProviderCheck({ anthropic: url, openai: url, google: url, mistral: url });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const key = (provider: 'anthropic' | 'openai' | 'google' | 'mistral' | 'amp') =>
  ({ provider, credentialKind: 'api-key', token: 'sk-of-a-person-0123' }) as const;

it.each([
  ['anthropic', '/v1/models?limit=1', 'sk-of-a-person-0123'],
  ['openai', '/v1/models', 'Bearer sk-of-a-person-0123'],
  ['google', '/v1beta/models?pageSize=1', 'sk-of-a-person-0123'],
  ['mistral', '/v1/models', 'Bearer sk-of-a-person-0123'],
] as const)('a key of %s is valid when the provider accepts it', async (provider, path, sent) => {
  status = 200;

  expect(await check.validate(key(provider), { now, log })).toMatchObject({
    valid: true,
    validationMode: 'provider',
    status: 200,
  });
  expect(asked).toEqual([{ path, key: sent }]);
});

it.each([
  ['anthropic', 401],
  ['openai', 403],
  ['google', 400],
  ['mistral', 401],
] as const)('a key of %s is not valid when the provider answers %s', async (provider, refusal) => {
  status = refusal;

  const validation = await check.validate(key(provider), { now, log });

  expect(validation).toMatchObject({ valid: false, validationMode: 'provider', status: refusal });
  expect(validation.message).toContain('It is stored');
});

it.each([0, 429, 500, 302])('a key is not checked when the provider answers %s', async (trouble) => {
  status = trouble;

  const validation = await check.validate(key('anthropic'), { now, log });

  expect(validation).toMatchObject({ valid: true, validationMode: 'format' });
  expect(validation.message).toContain('was not checked with its provider');
  expect(JSON.stringify([validation, logged])).not.toContain('sk-of-a-person');
});

it('the answer of a provider is kept for five minutes, and no failure is kept', async () => {
  const after = (ms: number) => ({ now: new Date(now.getTime() + ms), log });
  status = 500;
  await check.validate(key('openai'), after(0));
  status = 200;
  await check.validate(key('openai'), after(1_000));
  status = 401;

  expect(await check.validate(key('openai'), after(300_000))).toMatchObject({ valid: true });
  expect(await check.validate(key('openai'), after(302_000))).toMatchObject({ valid: false });
  expect(asked).toHaveLength(3);
});

it.each([
  ['a token of a sign-in', { ...key('anthropic'), credentialKind: 'oauth-token' }],
  ['a key of a provider without such a request', key('amp')],
] as const)('%s is not checked, and nobody is asked', async (_, credential) => {
  expect(await check.validate(credential, { now, log })).toMatchObject({ validationMode: 'format' });
  expect(asked).toEqual([]);
});

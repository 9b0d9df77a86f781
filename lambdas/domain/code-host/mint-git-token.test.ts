import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { mintGitToken } from './mint-git-token.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const app = { clientId: 'c', clientSecret: 's', appId: '1', privateKey };

/** Mints a token at a code host whose installation has these permissions. */
async function mintAt(granted: readonly string[]) {
  const asked: Record<string, string>[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { permissions } = JSON.parse(body) as { permissions: Record<string, string> };
    asked.push(permissions);
    const isGranted = Object.keys(permissions).every((name) => granted.includes(name));
    response.writeHead(isGranted ? 201 : 422, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ token: 't', expires_at: '2026-01-01T00:00:00Z' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const codeHost = {
    apiUrl,
    webUrl: apiUrl,
    appSlug: 'a',
    app: async () => app,
    appAfterRefusal: async () => app,
  };
  const request = {
    installationId: '1',
    repository: 'octo/hello',
    permission: 'write',
    now: new Date(),
  } as const;
  try {
    return { minted: await mintGitToken(codeHost, request).catch((error: Error) => error.name), asked };
  } finally {
    server.close();
  }
}

it('may write pull requests where it may push', async () => {
  expect(await mintAt(['contents', 'metadata', 'pull_requests'])).toMatchObject({
    minted: { token: 't' },
    asked: [{ contents: 'write', metadata: 'read', pull_requests: 'write' }],
  });
});

it('works for git at an installation without a permission for pull requests', async () => {
  const { minted, asked } = await mintAt(['contents', 'metadata']);

  expect(minted).toMatchObject({ token: 't' });
  expect(asked.at(-1)).toEqual({ contents: 'write', metadata: 'read' });
});

it('is refused at an installation without the repository', async () => {
  expect((await mintAt([])).minted).toBe('CodeHostAccessLost');
});

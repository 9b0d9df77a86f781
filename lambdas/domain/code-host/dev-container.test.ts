import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { askForHostRequirements, type DevContainerQuestion } from './dev-container.js';

const contents = '/repos/octo/hello/contents';
const question = { token: 'token-of-octo', repository: 'octo/hello', ref: undefined };
const requirements = { cpus: 4, memoryBytes: 8 * 2 ** 30, storageBytes: null };
const file = '{ "hostRequirements": { "cpus": 4, "memory": "8gb" } }';

/** Reads the requirements at a code host that answers so. */
async function askAt(listener: RequestListener, more: Partial<DevContainerQuestion> = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await askForHostRequirements({ apiUrl }, { ...question, ...more });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A code host with these files. */
const withFiles =
  (files: Readonly<Record<string, string | Buffer>>, asked: string[] = []): RequestListener =>
  ({ url = '' }, response) => {
    asked.push(url);
    const found = files[url.replace(`${contents}/`, '')];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  };

it.each([
  ['.devcontainer/devcontainer.json', {}],
  ['.devcontainer.json', {}],
  ['.devcontainer/web/devcontainer.json', { configName: 'web' }],
  ['.devcontainer/devcontainer.json?ref=a%26b%2Fc', { ref: 'a&b/c' }],
])('reads %s', async (path, more) => {
  expect(await askAt(withFiles({ [path]: file }), more)).toEqual(requirements);
});

it('reads the file with comments, as text, with the token of the person', async () => {
  const seen: unknown[] = [];
  const found = await askAt(({ headers }, response) => {
    seen.push([headers.authorization, headers.accept]);
    response.end(`// Ours\n${file.replace(' }', ', }')}`);
  });

  expect(found).toEqual(requirements);
  expect(seen).toEqual([['Bearer token-of-octo', 'application/vnd.github.raw+json']]);
});

it('reads no second file when the first one has no requirements', async () => {
  const asked: string[] = [];
  const files = { '.devcontainer/devcontainer.json': '{}', '.devcontainer.json': file };

  expect(await askAt(withFiles(files, asked))).toEqual({
    ...{ cpus: null, memoryBytes: null, storageBytes: null },
  });
  expect(asked).toHaveLength(1);
});

it('has none of a repository without a dev container', async () => {
  const asked: string[] = [];
  expect(await askAt(withFiles({}, asked))).toBeUndefined();
  expect(asked).toHaveLength(2);
});

it.each([
  ['text that is not JSON', 'image: node'],
  ['a list of a folder', '[{ "name": "devcontainer.json" }]'],
  ['values that are nested too deep', `{ "a": ${'['.repeat(30_000)}${']'.repeat(30_000)} }`],
  ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x00, 0x7b])],
  ['a file that is too large', `${file}${' '.repeat(64 * 1_024)}`],
])('has none of %s', async (_, content) => {
  expect(await askAt(withFiles({ '.devcontainer/devcontainer.json': content }))).toBeUndefined();
});

it.each([
  ['a prototype', '{ "__proto__": { "hostRequirements": { "cpus": 64 } } }'],
  ['amounts of other types', '{ "hostRequirements": { "cpus": -1, "memory": ["8gb"], "storage": 1e99 } }'],
  ['a list', '{ "hostRequirements": [4, "8gb"] }'],
])('has no amounts of requirements that are %s', async (_, content) => {
  expect(await askAt(withFiles({ '.devcontainer/devcontainer.json': content }))).toEqual({
    ...{ cpus: null, memoryBytes: null, storageBytes: null },
  });
});

it.each([301, 401, 403, 429, 500])('has none when the code host answers %i', async (status) => {
  const listener: RequestListener = (_, response) => {
    response.writeHead(status, { location: '/elsewhere' }).end(file);
  };
  expect(await askAt(listener)).toBeUndefined();
});

it('ends the reading of a file without end at 64 KB', async () => {
  const hasEnded = Promise.withResolvers<void>();
  const found = await askAt((_, response) => {
    response.on('close', hasEnded.resolve);
    const send = () => void response.write(' '.repeat(16 * 1_024), (error) => error ?? send());
    send();
  });

  expect(found).toBeUndefined();
  await hasEnded.promise;
});

it('has none of a file that comes too slowly, after 2 seconds', async () => {
  const began = performance.now();
  // The head of the answer comes at once, its text never ends.
  expect(await askAt((_, response) => void response.write('{'))).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(4_000);
});

it('has none when the code host is away', async () => {
  expect(await askForHostRequirements({ apiUrl: 'http://127.0.0.1:1' }, question)).toBeUndefined();
});

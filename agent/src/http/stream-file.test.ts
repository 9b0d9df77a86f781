import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { streamFile } from './stream-file.js';

const folder = mkdtempSync(join(tmpdir(), 'pour-file-'));
const path = join(folder, 'file');
/** More than the network holds for a client that does not read. */
const content = randomBytes(24 * 1_024 * 1_024 + 17);
/** What the server reports of each answer, once it has ended. */
const answered: Promise<void>[] = [];
let server: Server;
let part = { start: 0, length: 0 };

beforeAll(async () => {
  writeFileSync(path, content);
  server = createServer((_, response) => {
    const answer = async () => {
      await using handle = await open(path);
      response.writeHead(200, { 'content-length': part.length });
      await streamFile(handle, { ...part, timeoutMs: 10_000 }, response);
    };
    answered.push(answer());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function ask(start: number, length: number): Promise<IncomingMessage> {
  part = { start, length };
  const { port } = server.address() as AddressInfo;
  const [response] = await once(get({ host: '127.0.0.1', port, agent: false }), 'response');
  return response;
}

it.each([
  ['a byte', 5, 1],
  ['a piece', 0, 256 * 1_024],
  ['a piece and a byte', 3, 256 * 1_024 + 1],
  ['two pieces', 11, 512 * 1_024],
  ['all of it', 0, content.length],
])('sends %s as it is', async (_, start, length) => {
  const received = await buffer(await ask(start, length));

  expect(received.equals(content.subarray(start, start + length))).toBe(true);
});

it('breaks the connection when the file is shorter than its length', async () => {
  await expect(buffer(await ask(0, content.length + 1))).rejects.toThrow('aborted');
});

it('stops reading when the client disconnects', async () => {
  const response = await ask(0, content.length);
  response.destroy();

  await expect(answered.at(-1)).resolves.toBeUndefined();
});

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deleteWorkspace } from '../support/delete-workspace.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { projectOf } from '../support/project-of.js';
import { openTerminal, run, untilStatus } from './one-workspace.js';

const mebibyte = 1024 ** 2;

describe('the files of a chat session’s workspace', () => {
  const { url, stateDir, mallory } = inject('cloud');
  const person = new Person(url, ownAccount().cookies);
  const { client } = person;
  const files = '/api/projects/{projectId}/sessions/{sessionId}/files' as const;
  const git = '/api/projects/{projectId}/sessions/{sessionId}/git' as const;
  let params: { readonly projectId: string; readonly sessionId: string };
  let at: string;
  let workspaceId: string;

  beforeAll(async () => {
    const projectId = await projectOf(person, 'octo/hello', 'Hello files');
    const asked = { projectId, displayName: 'files' };
    workspaceId = (await client.call('POST /api/workspaces', { body: asked })).id;
    await untilStatus(person, workspaceId, 'running');
    const chat = await client.call('POST /api/projects/{projectId}/sessions', {
      params: { projectId },
      body: { workspaceId },
    });
    params = { projectId, sessionId: chat.id };
    at = `/api/projects/${projectId}/sessions/${chat.id}`;
  });
  afterAll(() => deleteWorkspace(person, `/api/workspaces/${workspaceId}`));

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${at}/${path}`, {
      redirect: 'manual',
      headers: { cookie: person.cookieHeader, ...headers },
    });
  const formWith = (name: string, content: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.set('destination', '.');
    form.set('files', new Blob([content]), name);
    return form;
  };

  it('are listed, found and shown', async () => {
    const { entries } = await client.call(`GET ${files}/list`, { params });
    const { files: names } = await client.call(`GET ${files}/find`, { params });
    const view = await client.call(`GET ${files}/view`, { params, query: { path: 'README.md' } });

    expect(entries).toContainEqual(expect.objectContaining({ name: 'README.md', type: 'file' }));
    expect(names).toContain('README.md');
    expect(view).toMatchObject({
      filePath: 'README.md',
      content: expect.stringContaining('A first repository to open'),
    });
  });

  it('uploads a file, downloads it byte for byte, and answers 304 to a client that has it', async () => {
    const content = randomBytes(mebibyte);
    const { files: brought } = await client.call(`POST ${files}/upload`, {
      params,
      body: formWith('brought.bin', content),
    });
    expect(brought).toEqual([{ name: 'brought.bin', path: './brought.bin', size: mebibyte }]);
    // A file of this very second has no tag yet.
    const terminal = await openTerminal(person, workspaceId, 'touch');
    await terminal.create();
    await run(terminal, 'touch -t 202001010000 brought.bin');
    terminal.drop();

    const raw = await get('files/raw?path=brought.bin');
    const download = await client.open(`GET ${files}/download`, { params, query: { path: 'brought.bin' } });
    const again = await get('files/raw?path=brought.bin', { 'if-none-match': raw.headers.get('etag') ?? '' });
    const part = await get('files/raw?path=brought.bin', { range: 'bytes=5-9' });

    expect(Buffer.from(await raw.arrayBuffer()).equals(content)).toBe(true);
    expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true);
    expect(download.headers.get('content-disposition')).toContain('brought.bin');
    expect(again.status).toBe(304);
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, content.subarray(5, 10)]);
  });

  it('shows the git status of an uploaded file', async () => {
    const { untracked } = await client.call(`GET ${git}/status`, { params });
    const diff = await client.call(`GET ${git}/diff`, { params, query: { path: 'brought.bin' } });

    expect(untracked).toContainEqual(expect.objectContaining({ path: 'brought.bin' }));
    expect(diff).toMatchObject({ filePath: 'brought.bin', diff: expect.stringContaining('Binary') });
  });

  it('uploads and downloads a large file directly at the node', async () => {
    const content = randomBytes(12 * mebibyte);
    const { url: address } = await client.call(`POST ${files}/upload-address`, { params });
    const form = new Response(formWith('large.bin', content));
    const sent = await atNode(address, {
      method: 'POST',
      headers: { 'content-type': form.headers.get('content-type') ?? '' },
      body: Buffer.from(await form.arrayBuffer()),
    });
    expect(sent.status, sent.content.toString()).toBe(200);

    const answer = await get('files/raw?path=large.bin');
    const archive = await get('files/download?path=.git');

    expect([answer.status, archive.status]).toEqual([307, 307]);
    const large = await atNode(answer.headers.get('location') ?? '');
    expect(large.content.equals(content)).toBe(true);
    const folder = await atNode(archive.headers.get('location') ?? '');
    expect([folder.status, folder.content.subarray(0, 2)]).toEqual([200, Buffer.from([0x1f, 0x8b])]);
  });

  it('writes no token to a log', async () => {
    const { url: address } = await client.call(`POST ${files}/upload-address`, { params });
    const token = new URL(address).searchParams.get('token') ?? '';
    expect((await atNode(address.replace(token, `${token}x`), { method: 'POST' })).status).toBe(401);

    const logs = readdirSync(join(stateDir, 'logs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
    expect(logs.some((log) => log.includes(workspaceId))).toBe(true);
    // Every token that the control plane signs begins with the same header.
    const header = token.slice(0, token.indexOf('.'));
    expect(logs.filter((log) => log.includes(`${header}.`))).toEqual([]);
  });

  it('hides the files from people who are not members', async () => {
    const stranger = new Person(url, mallory);

    expect((await stranger.get(`${at}/files/list`)).status).toBe(404);
    expect((await stranger.get(`${at}/files/raw?path=README.md`)).status).toBe(404);
  });
});

interface NodeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** At the workspace's own host, whatever resolves that name here. */
async function atNode(address: string, { body, headers, method = 'GET' }: NodeRequest = {}) {
  const { host, port, pathname, search } = new URL(address);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; content: Buffer }>();
  const options = { host: '127.0.0.1', port, method, path: `${pathname}${search}`, agent: false as const };
  request({ ...options, headers: { ...headers, host } }, async (answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    resolve({ status: answer.statusCode ?? 0, content: Buffer.concat(chunks) });
  })
    .once('error', reject)
    .end(body);
  return promise;
}

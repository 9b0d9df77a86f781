import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Person } from '../support/person.js';
import { openTerminal, run, untilStatus } from './one-workspace.js';

const mebibyte = 1024 ** 2;

describe('the files of a chat session’s workspace', () => {
  const { url, octo, mallory } = inject('cloud');
  const person = new Person(url, octo);
  let at: string;
  let workspaceId: string;

  beforeAll(async () => {
    const projectId = await aProject();
    const created = await person.post('/api/workspaces', { projectId, displayName: 'files' });
    expect(created.status, created.text).toBe(201);
    workspaceId = created.body.id;
    await untilStatus(person, workspaceId, 'running');
    const chat = await person.post(`/api/projects/${projectId}/sessions`, { workspaceId });
    expect(chat.status, chat.text).toBe(201);
    at = `/api/projects/${projectId}/sessions/${chat.body.id}`;
  });
  afterAll(async () => {
    await person.delete(`/api/workspaces/${workspaceId}`);
  });

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

  it('lists, finds and shows them', async () => {
    const list = await person.get(`${at}/files/list`);
    const find = await person.get(`${at}/files/find`);
    const view = await person.get(`${at}/files/view?path=README.md`);

    expect(list.body.entries).toContainEqual(expect.objectContaining({ name: 'README.md', type: 'file' }));
    expect(find.body.files).toContain('README.md');
    expect(view.body).toMatchObject({
      filePath: 'README.md',
      content: expect.stringContaining('A first repository to open'),
    });
  });

  it('brings one, gives it back byte for byte, and not again to whoever has it', async () => {
    const content = randomBytes(mebibyte);
    const sent = await fetch(`${url}${at}/files/upload`, {
      method: 'POST',
      headers: { cookie: person.cookieHeader },
      body: formWith('brought.bin', content),
    });
    expect(sent.status, await sent.clone().text()).toBe(200);
    // A file of this very second has no tag yet.
    const terminal = await openTerminal(person, workspaceId, 'touch');
    await terminal.create();
    await run(terminal, 'touch -t 202001010000 brought.bin');
    terminal.drop();

    const raw = await get('files/raw?path=brought.bin');
    const download = await get('files/download?path=brought.bin');
    const again = await get('files/raw?path=brought.bin', { 'if-none-match': raw.headers.get('etag') ?? '' });
    const part = await get('files/raw?path=brought.bin', { range: 'bytes=5-9' });

    expect(Buffer.from(await raw.arrayBuffer()).equals(content)).toBe(true);
    expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true);
    expect(download.headers.get('content-disposition')).toContain('brought.bin');
    expect(again.status).toBe(304);
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, content.subarray(5, 10)]);
  });

  it('tells what git makes of it', async () => {
    const status = await person.get(`${at}/git/status`);
    const diff = await person.get(`${at}/git/diff?path=brought.bin`);

    expect(status.body.untracked).toContainEqual(expect.objectContaining({ path: 'brought.bin' }));
    expect(diff.body).toMatchObject({ filePath: 'brought.bin', diff: expect.stringContaining('Binary') });
  });

  it('brings a large one and gives it back by way of the node itself', async () => {
    const content = randomBytes(12 * mebibyte);
    const { body } = await person.post(`${at}/files/upload-address`);
    const form = new Response(formWith('large.bin', content));
    const sent = await atNode(body.url, {
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

  it('is nothing that others may see', async () => {
    const stranger = new Person(url, mallory);

    expect((await stranger.get(`${at}/files/list`)).status).toBe(404);
    expect((await stranger.get(`${at}/files/raw?path=README.md`)).status).toBe(404);
  });

  /** The other tests of this cloud may have made one for this repository before. */
  async function aProject(): Promise<string> {
    const { body } = await person.get('/api/projects');
    const known = body.projects.find((each: { repository: string }) => each.repository === 'octo/hello');
    if (known) return known.id;
    const asked = { name: 'Hello files', installationId: '5001', repository: 'octo/hello' };
    return (await person.post('/api/projects', asked)).body.id;
  }
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

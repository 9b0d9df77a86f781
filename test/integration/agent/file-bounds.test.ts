import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const mebibyte = 1_024 * 1_024;
let fake: FakeControlPlane;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
});

afterAll(() => fake[Symbol.asyncDispose]());

async function startWorkspace(id: string, env: Readonly<Record<string, string>> = {}): Promise<AgentProcess> {
  const agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', ...env });
  await agent.start();
  await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));
  await vi.waitFor(async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    expect(JSON.stringify(body)).toContain('"running"');
  }, waiting);
  return agent;
}

/** Sends a form whose file has so many bytes; with `stop` it stays open after them. */
async function upload(
  agent: AgentProcess,
  id: string,
  { bytes, stop = false }: { readonly bytes: number; readonly stop?: boolean },
): Promise<{ readonly status: number; readonly body: unknown }> {
  const authorization = `Bearer ${await fake.terminal(id)}`;
  const head =
    '--B\r\ncontent-disposition: form-data; name="destination"\r\n\r\nin\r\n' +
    '--B\r\ncontent-disposition: form-data; name="files"; filename="large.bin"\r\n\r\n';
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: agent.port,
      ca: agent.certificate(),
      method: 'POST',
      path: `/workspaces/${id}/files/upload`,
      headers: { authorization, 'content-type': 'multipart/form-data; boundary=B' },
    });
    sent.on('response', async (response: IncomingMessage) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.on('error', reject);
    sent.write(head);
    sent.write(Buffer.alloc(bytes, 120));
    if (!stop) sent.end('\r\n--B--\r\n');
  });
}

const inFolder = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

describe('a workspace of 100,000 files, sparse giants and long differences', () => {
  const id = ulid();
  let agent: AgentProcess;
  let repository: string;

  beforeAll(async () => {
    agent = await startWorkspace(id);
    repository = join(agent.folder, 'workspaces', id, 'work', 'full');
    mkdirSync(join(repository, 'many'));
    execFileSync('sh', ['-c', 'seq -f "file-with-a-name-%06.0f.txt" 100000 | xargs touch'], {
      cwd: join(repository, 'many'),
    });
    mkdirSync(join(repository, 'sparse'));
    writeFileSync(join(repository, 'sparse', 'giant.bin'), '');
    truncateSync(join(repository, 'sparse', 'giant.bin'), 2 * 1_024 * mebibyte);
    writeFileSync(join(repository, 'long.txt'), 'a line of a long file\n'.repeat(50 * 48_000));
  });

  afterAll(async () => {
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
  });

  const memory = (of: 'VmHWM' | 'VmRSS'): number => {
    const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8');
    return Number(new RegExp(`^${of}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024;
  };
  const get = async (route: string) =>
    agent.call('GET', `/workspaces/${id}/${route}`, await fake.terminal(id));

  it.each([
    ['list', 'files/list?path=many', { truncated: true, entries: { length: 1_000 } }],
    ['find', 'files/find?query=name', { truncated: true, files: { length: 5_000 } }],
    [
      'find one',
      'files/find?query=099999',
      { truncated: false, files: ['many/file-with-a-name-099999.txt'] },
    ],
    ['status', 'git/status', { staged: [], truncated: false }],
    ['a difference of 50 MB', 'git/diff?path=long.txt', { truncated: true }],
  ])('%s is bounded, and its answer is whole or says that it is not', async (_, route, answer) => {
    writeFileSync(`/proc/${agent.pid}/clear_refs`, '5');
    const before = memory('VmRSS');

    expect(await get(route)).toMatchObject({ status: 200, body: answer });

    expect(memory('VmHWM') - before).toBeLessThan(128 * mebibyte);
  });

  it('refuses to show 2 GiB, and streams them in an archive with bounded memory', async () => {
    expect(await get('files/raw?path=sparse/giant.bin')).toMatchObject({ status: 413 });
    writeFileSync(`/proc/${agent.pid}/clear_refs`, '5');
    const before = memory('VmRSS');
    const authorization = `Bearer ${await fake.terminal(id)}`;
    const path = `/workspaces/${id}/files/download?path=sparse`;

    // A mebibyte of it is made from some two hundred of nothing.
    await new Promise<void>((resolve, reject) => {
      const address = { host: '127.0.0.1', port: agent.port, ca: agent.certificate(), path };
      const sent = request({ ...address, headers: { authorization } }, async (response) => {
        let bytes = 0;
        for await (const chunk of response) {
          bytes += (chunk as Buffer).length;
          if (bytes > mebibyte) break;
        }
        resolve();
      });
      sent.on('error', reject);
      sent.end();
    });

    expect(memory('VmHWM') - before).toBeLessThan(128 * mebibyte);
  });
});

describe('a failed upload', () => {
  it('leaves no visible file when the agent is killed', async () => {
    const id = ulid();
    const agent = await startWorkspace(id);
    const folder = join(agent.folder, 'workspaces', id, 'work', 'full', 'in');

    const sent = upload(agent, id, { bytes: 8 * mebibyte, stop: true }).catch(() => 'broken off');
    await vi.waitFor(() => expect(inFolder(folder)).toHaveLength(1), waiting);
    await agent.kill('SIGKILL');

    expect(await sent).toBe('broken off');
    await agent.start();
    const token = await fake.terminal(id);
    const get = (route: string) => agent.call('GET', `/workspaces/${id}/${route}`, token);
    expect(await get('files/list?path=in')).toMatchObject({ status: 200, body: { entries: [] } });
    expect(await get('files/find?query=svc-upload')).toMatchObject({ body: { files: [] } });
    expect(JSON.stringify(await get('git/status'))).not.toContain('svc-upload');
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
  });

  const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]).status === 0;

  it.skipIf(!canMount)('is refused with 507 when the disk is full, and leaves nothing behind', async () => {
    const id = ulid();
    const agent = await startWorkspace(id, { WORKSPACE_BASE_DIR: disk });
    const folder = join(disk, id, 'work', 'full', 'in');
    try {
      expect(await upload(agent, id, { bytes: 24 * mebibyte })).toMatchObject({
        status: 507,
        body: { error: 'insufficient_storage' },
      });
      expect(inFolder(folder)).toEqual([]);
      expect(await upload(agent, id, { bytes: mebibyte })).toMatchObject({ status: 200 });
      expect(inFolder(folder)).toEqual(['large.bin']);
    } finally {
      await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
      await agent[Symbol.asyncDispose]();
      spawnSync('umount', [disk]);
    }
  });
});

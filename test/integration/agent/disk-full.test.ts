import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 40_000, interval: 50 };
const disk = mkdtempSync(join(tmpdir(), 'disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]).status === 0;

describe.skipIf(!isMounted)('a disk that is full (needs the right to mount)', () => {
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    fake.addRepository('large', { 'large.txt': randomBytes(8_000_000).toString('base64') });
    agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', WORKSPACE_BASE_DIR: disk });
    await agent.start();
  });

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
    spawnSync('umount', ['-l', disk]);
  });

  const create = async (name: string) => {
    const id = ulid();
    const settings = { repository: `octo/${name}`, cloneUrl: fake.cloneUrl(name) };
    const body = await workspaceRequest(fake, id, settings);
    await agent.call('POST', '/workspaces', await fake.management(id), body);
    return id;
  };

  it('fails a clone with that reason, and frees its space with the workspace', async () => {
    const large = await create('large');
    await vi.waitFor(() => expect(fake.callsTo(`${large}/provisioning-failed`)).toHaveLength(1), waiting);
    expect(fake.callsTo(`${large}/provisioning-failed`)[0]?.body.errorMessage).toMatch(
      /^Clone failed: .*No space left on device/s,
    );

    const path = `/workspaces/${large}`;
    expect(await agent.call('DELETE', path, await fake.management(large))).toMatchObject({ status: 200 });
    expect(readdirSync(disk)).toEqual([]);
    const small = await create('full');
    await vi.waitFor(() => expect(fake.callsTo(`${small}/ready`)).toHaveLength(1), waiting);
  });
});

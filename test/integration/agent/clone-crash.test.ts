import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { processesByCommand } from '../../support/processes-by-command.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { SilentCodeHost } from './silent-code-host.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 20 };
let fake: FakeControlPlane;
let codeHost: SilentCodeHost;
let agent: AgentProcess;
let id: string;

beforeEach(async () => {
  id = ulid();
  fake = await FakeControlPlane.start();
  codeHost = new SilentCodeHost();
  await codeHost.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  await agent.start();
});

afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await codeHost[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

/** Programs of git that speak with the code host. */
function clones(): string[] {
  return processesByCommand(codeHost.url);
}

async function beginToClone(): Promise<void> {
  const cloneUrl = `${codeHost.url}/git/full.git`;
  const host = new URL(cloneUrl).host;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const token = { token: fake.gitToken, expiresAt, username: 'x-access-token', host, cloneUrl };
  fake.handlers.set('git-token', async () => ({ status: 200, body: token }));
  const body = await workspaceRequest(fake, id, { cloneUrl });
  await agent.call('POST', '/workspaces', await fake.management(id), body);
  await vi.waitFor(() => expect(codeHost.waiting).toHaveLength(1), waiting);
}

it('an aborted clone leaves no process that waits for the code host', async () => {
  await beginToClone();
  expect(clones()).not.toEqual([]);

  expect(await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id))).toMatchObject({
    status: 200,
  });

  await vi.waitFor(() => expect(clones()).toEqual([]), waiting);
});

it('a clone that outlived its agent cannot remove the next clone', async () => {
  await beginToClone();
  const outlived = clones();
  await agent.kill('SIGKILL');
  codeHost.consumeBy(fake.url);
  await agent.start();
  await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(1), waiting);

  codeHost.giveUp();
  await vi.waitFor(() => expect(clones().filter((pid) => outlived.includes(pid))).toEqual([]), waiting);

  expect(readdirSync(join(agent.folder, 'workspaces', id, 'work', 'full'))).toContain('hello.txt');
});

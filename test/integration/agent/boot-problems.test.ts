import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { bootstrapToken, FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const workspaceId = ulid();
const waiting = { timeout: 30_000, interval: 20 };
const unavailable = { status: 503, body: { error: 'SERVICE_UNAVAILABLE', message: 'away' } };
const swallowed = { status: 0, body: null };

let fake: FakeControlPlane;
let agent: AgentProcess;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  // By this node's own clock, every token has expired an hour before it was made.
  fake.clockOffsetMs = -2 * 3_600_000;
  fake.next.set('bootstrap', [unavailable, swallowed]);
  fake.next.set('ready', [unavailable]);
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', HTTP_CALLBACK_TIMEOUT: '500ms' });
  await agent.start();
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

it('becomes ready after a control-plane outage, lost packets and hours of clock difference', async () => {
  await vi.waitFor(() => expect(fake.callsTo('heartbeat').length).toBeGreaterThan(0), waiting);

  const redemptions = fake.callsTo('/api/bootstrap').map(({ body }) => body.redemptionId);
  expect(redemptions).toHaveLength(3);
  expect(new Set(redemptions).size).toBe(1);
});

it("validates tokens by the control plane's clock", async () => {
  const good = await fake.management();
  fake.clockOffsetMs -= 2 * 3_600_000;
  const old = await fake.management();
  fake.clockOffsetMs += 2 * 3_600_000;

  expect(await agent.call('GET', '/workspaces', good)).toMatchObject({ status: 200 });
  expect(await agent.call('GET', '/workspaces', old)).toMatchObject({ status: 401 });
});

it('writes boot problems to the boot log of the first workspace, once', async () => {
  for (const id of [workspaceId, ulid()])
    await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));
  await vi.waitFor(() => expect(fake.callsTo(`/ready`).length).toBeGreaterThan(2), waiting);

  const stories = fake
    .callsTo('boot-log')
    .filter(({ body }) => (body.entry as { step: string }).step === 'node_boot');
  expect(stories).toHaveLength(1);
  expect(stories[0]?.path).toContain(workspaceId);
  const entry = stories[0]?.body.entry;
  expect(entry).toMatchObject({ status: 'completed', durationMs: expect.any(Number) });
  const { detail } = entry as { detail: string };
  expect(detail).toContain('Bootstrap: 2 failed attempts (last: /api/bootstrap could not be reached)');
  expect(detail).toContain('Ready: 1 failed attempt (last: ');
  expect(detail).toMatch(/The node's clock is 7\d{3} s ahead of the control plane's clock/);
  expect(detail).not.toContain(bootstrapToken);
});

it("renews callback tokens by the control plane's clock too", async () => {
  const beats = fake.callsTo('heartbeat').length;
  await vi.waitFor(() => expect(fake.callsTo('heartbeat').length).toBeGreaterThan(beats + 2), waiting);

  expect(fake.callsTo('callback-token/renew')).toEqual([]);
});

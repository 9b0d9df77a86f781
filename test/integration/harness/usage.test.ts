import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { probeUsage } from '../../../agent/src/harness/usage-probes.js';
import { until } from '../../support/until.js';
import { FakeControlPlane, nodeId } from '../agent/fake-control-plane.js';
import { noSettings, promptOf, ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';

const key = 'provider-key-of-a-person';
const observedAt = new Date('2026-11-21T12:00:00.000Z');
let fake: FakeControlPlane;
let asked: string[] = [];
let answer: (response: ServerResponse) => void;
const provider = createServer((request: IncomingMessage, response) => {
  asked.push(`${request.url} ${request.headers.authorization}`);
  answer(response);
});

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  asked = [];
  answer = (response) => response.end(JSON.stringify({ rolling: { used: 45, limit: 50 } }));
});

afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await fake[Symbol.asyncDispose]();
});

function address(path = '/usage'): string {
  return `http://127.0.0.1:${(provider.address() as AddressInfo).port}${path}`;
}

const probe = (timeoutMs = 5_000) =>
  probeUsage({ address: address(), key, timeoutMs, now: () => observedAt });

it('reads the usage windows of the provider', async () => {
  answer = (response) =>
    response.end(
      JSON.stringify({
        usage: {
          rolling: { status: 'ok', percent: 12.5, resetsAt: '2026-11-21T12:01:00.000Z' },
          weekly: { used: 90, limit: 100, remaining: 10, resetsAt: '2026-11-24T00:00:00Z' },
          monthly: { status: 'rate-limited' },
        },
      }),
    );
  const common = {
    provider: 'opencode',
    source: 'vm-agent.acp_usage_update',
    observedAt: observedAt.toISOString(),
  };

  expect(await probe()).toEqual([
    {
      ...common,
      windowType: 'opencode.rolling',
      status: 'allowed',
      utilizationPercent: 12.5,
      resetsAt: '2026-11-21T12:01:00.000Z',
    },
    {
      ...common,
      windowType: 'opencode.weekly',
      status: 'allowed_warning',
      utilizationPercent: 90,
      limitAmount: 100,
      remainingAmount: 10,
      resetsAt: '2026-11-24T00:00:00.000Z',
    },
    { ...common, windowType: 'opencode.monthly', status: 'rejected' },
  ]);
  expect(asked).toEqual([`/usage Bearer ${key}`]);
});

it('follows no redirect, which would forward the key', async () => {
  answer = (response) => response.writeHead(302, { location: address('/elsewhere') }).end();

  await expect(probe()).rejects.toThrow();

  expect(asked).toEqual([`/usage Bearer ${key}`]);
});

it('rejects an answer above the size limit', async () => {
  answer = (response) =>
    response.end(JSON.stringify({ rolling: { used: 1, limit: 2 }, more: 'x'.repeat(65_536) }));

  await expect(probe()).rejects.toThrow('too long');
});

it('stops at the timeout', async () => {
  answer = (response) => response.writeHead(200).flushHeaders();

  await expect(probe(50)).rejects.toThrow(/timeout/i);
});

it.each([
  ['500', 500, '{}'],
  ['another form', 200, '{"rolling":{"used":"many"}}'],
  ['nothing', 200, '{}'],
])('ignores an answer of %s', async (_, status, text) => {
  answer = (response) => response.writeHead(status).end(text);

  expect(await probe()).toEqual([]);
});

it.each([
  ['opencode-go', 1],
  ['opencode-zen', 0],
  ['custom', 0],
  [null, 0],
])('probes after a turn with the provider %s: %i times', async (opencodeProvider, times) => {
  const fixture = await StandaloneHarnesses.make(fake, {}, { PROVIDER_GO_USAGE_URL: address() });
  const harness = await fixture.start(new ReceivedUpdates(), {
    agentType: 'opencode',
    projectId: 'project-1',
    settings: { ...noSettings, opencodeProvider },
  });

  await harness.prompt(promptOf('hello'));
  await harness.prompt(promptOf('[[fail bad]]')).catch(() => undefined);
  if (times > 0) await until('the report', () => mine()[0]);
  await harness.stop();

  function mine() {
    const { workspaceId } = fixture.workspace;
    return fake
      .callsTo('/acp-sessions/session-1/usage')
      .filter(({ body }) => body.workspaceId === workspaceId);
  }
  expect(asked).toHaveLength(times);
  expect(mine().map(({ path, body }) => ({ path, body }))).toEqual(
    Array.from({ length: times }, () => ({
      path: '/api/projects/project-1/acp-sessions/session-1/usage',
      body: expect.objectContaining({ nodeId, agentType: 'opencode', source: 'vm-agent.acp_usage_update' }),
    })),
  );
  expect(fixture.logged.join()).not.toContain('agent-key-one');
});

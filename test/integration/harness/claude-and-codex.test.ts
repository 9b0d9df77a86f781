import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitMs } from '../../support/limit-ms.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { noSettings, promptOf, ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';
import { LoopbackModel, modelAnswers } from './loopback-model.js';
import { RealKinds } from './real-kinds.js';

/** Claude Code and Codex from npm, with a model on loopback. */
const minutes = 60_000;
const providers = {
  'claude-code': { provider: 'anthropic-passthrough', path: '' },
  'openai-codex': { provider: 'openai-passthrough', path: '/v1' },
} as const;
type Kind = keyof typeof providers;
let fake: FakeControlPlane;
let real: RealKinds;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  real = new RealKinds(fake);
});

afterAll(async () => {
  real[Symbol.dispose]();
  await fake[Symbol.asyncDispose]();
});

/** Null without the registry of packages. */
async function started(agentType: Kind, model: LoopbackModel, permissionMode: string | null = null) {
  const installed = await real.install(agentType);
  if (!installed) return null;
  const { provider, path } = providers[agentType];
  const inferenceConfig = { provider, baseURL: `${model.url}${path}`, apiKeySource: 'user-credential' };
  const body = { apiKey: 'sk-loopback-1234567890', credentialKind: 'api-key', inferenceConfig };
  fake.next.set('agent-key', [{ status: 200, body }]);
  const environment = { ACP_COMMAND_OVERRIDES: JSON.stringify({ [agentType]: installed.command }) };
  const fixture = await StandaloneHarnesses.make(fake, {}, environment);
  const received = new ReceivedUpdates();
  const harness = await fixture.start(received, {
    agentType,
    projectId: 'project-1',
    settings: { ...noSettings, permissionMode },
  });
  return { harness, received, workspaceId: fixture.workspace.workspaceId };
}

const error = (type: string) => ({ type: 'error', error: { type, message: `The model says ${type}` } });

it.each(['claude-code', 'openai-codex'] as const)(
  '%s states that its provider fails, and ends the turn with the error of the provider',
  { timeout: limitMs(4 * minutes) },
  async (agentType) => {
    const overloaded = modelAnswers.failure(529, error('overloaded_error'));
    await using model = await LoopbackModel.start(overloaded);
    const session = await started(agentType, model);
    if (!session) return;
    const { harness, received } = session;

    const turn = harness.prompt(promptOf('hello')).catch((cause: unknown) => cause);
    await expect.poll(() => received.notices, { timeout: minutes }).toHaveLength(1);
    model.answer = modelAnswers.failure(400, error('invalid_request_error'));
    const cause = await turn;
    await harness.stop();

    expect(received.notices[0]).toMatchObject({
      code: 'provider_retry',
      text: expect.stringMatching(/^The model provider does not answer as expected, and .* tries again\./),
    });
    expect(cause).toMatchObject({ name: 'HarnessError', kind: 'failed', detail: { code: '' } });
    expect(String(cause)).toContain('The model says invalid_request_error');
    // The error is no answer of the agent.
    expect(received.text).not.toContain('The model says');
  },
);

it('Claude Code reports the commands that it runs in the background', {
  timeout: limitMs(4 * minutes),
}, async () => {
  const input = { command: 'sleep 4', description: 'Sleep', run_in_background: true };
  await using model = await LoopbackModel.start(modelAnswers.claude({ name: 'Bash', input }, 'started'));
  const session = await started('claude-code', model, 'bypassPermissions');
  if (!session) return;
  const { harness, received } = session;

  const { stopReason } = await harness.prompt(promptOf('Run it in the background'));
  await expect.poll(() => received.backgroundWork, { timeout: minutes }).toEqual([1, 0]);
  await harness.stop();

  expect(stopReason).toBe('end_turn');
});

it('Codex notes the limits of its plan, and the node agent reports them', {
  timeout: limitMs(4 * minutes),
}, async () => {
  const resetsAt = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
  const figures = { 'used-percent': '77.5', 'window-minutes': '300', 'reset-at': String(+resetsAt / 1_000) };
  const headers = Object.entries(figures).map(([name, value]) => [`x-codex-primary-${name}`, value]);
  await using model = await LoopbackModel.start(modelAnswers.codex('done', Object.fromEntries(headers)));
  const session = await started('openai-codex', model);
  if (!session) return;
  const { harness, workspaceId } = session;

  await harness.prompt(promptOf('hello'));
  const reports = () => fake.callsTo('/usage').filter(({ body }) => body.workspaceId === workspaceId);
  await expect.poll(reports, { timeout: minutes }).toHaveLength(1);
  await harness.stop();

  expect(reports()[0]?.body).toMatchObject({
    agentType: 'openai-codex',
    rateLimits: [
      {
        ...{ windowType: 'codex.primary', provider: 'openai', status: 'allowed', utilizationPercent: 77.5 },
        ...{ windowMinutes: 300, resetsAt: resetsAt.toISOString() },
      },
    ],
  });
});

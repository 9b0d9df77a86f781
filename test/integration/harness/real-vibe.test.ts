import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitMs } from '../../support/limit-ms.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { noSettings, promptOf, ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';
import { LoopbackModel, modelAnswers } from './loopback-model.js';
import { RealKinds } from './real-kinds.js';

/** Mistral Vibe from PyPI, with a model on loopback and an API key, as nodes start it. */
let fake: FakeControlPlane;
let real: RealKinds;
let model: LoopbackModel;
const minutes = 60_000;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  real = new RealKinds(fake);
  model = await LoopbackModel.start(modelAnswers.completions('hello from the model'));
});

afterAll(async () => {
  await model[Symbol.asyncDispose]();
  real[Symbol.dispose]();
  await fake[Symbol.asyncDispose]();
});

async function vibe() {
  const installed = await real.install('mistral-vibe');
  if (!installed) return null;
  const provider = { name: 'mistral', api_base: `${model.url}/v1`, api_key_env_var: 'MISTRAL_API_KEY' };
  const command = [
    '/usr/bin/env',
    `VIBE_PROVIDERS=${JSON.stringify([{ ...provider, backend: 'mistral' }])}`,
    'VIBE_ENABLE_TELEMETRY=false',
    'VIBE_ENABLE_UPDATE_CHECKS=false',
    ...installed.command,
  ];
  return StandaloneHarnesses.make(
    fake,
    {},
    { ACP_COMMAND_OVERRIDES: JSON.stringify({ 'mistral-vibe': command }) },
  );
}

const settings = { ...noSettings, permissionMode: 'bypassPermissions' };

it('runs a turn, takes its mode, and loads its session again', {
  timeout: limitMs(4 * minutes),
}, async () => {
  const fixture = await vibe();
  if (!fixture) return;
  const [first, again] = [new ReceivedUpdates(), new ReceivedUpdates()];

  const harness = await fixture.start(first, { agentType: 'mistral-vibe', settings });
  const outcome = await harness.prompt(promptOf('remember me'));
  await harness.stop();
  const session = { mode: 'load', acpSessionId: harness.acpSessionId } as const;
  const loaded = await fixture.start(again, { agentType: 'mistral-vibe', settings, session });
  await loaded.prompt(promptOf('who am I'));
  await loaded.stop();

  expect(outcome).toMatchObject({ stopReason: 'end_turn' });
  expect(first.text).toContain('hello from the model');
  expect([...first.notices, ...again.notices]).toEqual([]);
  expect(model.requests.at(-1)?.body).toContain('remember me');
});

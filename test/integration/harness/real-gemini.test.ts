import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitMs } from '../../support/limit-ms.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { noSettings, promptOf, ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';
import { LoopbackModel, modelAnswers } from './loopback-model.js';
import { RealKinds } from './real-kinds.js';

/** Gemini CLI from npm, with a model on loopback and an API key, as nodes start it. */
let fake: FakeControlPlane;
let real: RealKinds;
let model: LoopbackModel;
const minutes = 60_000;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  real = new RealKinds(fake);
  model = await LoopbackModel.start(modelAnswers.gemini('hello from the model'));
});

afterAll(async () => {
  await model[Symbol.asyncDispose]();
  real[Symbol.dispose]();
  await fake[Symbol.asyncDispose]();
});

async function geminiWith(...variables: string[]) {
  const installed = await real.install('google-gemini');
  if (!installed) return null;
  const command = ['/usr/bin/env', `GOOGLE_GEMINI_BASE_URL=${model.url}`, ...variables, ...installed.command];
  const environment = { ACP_COMMAND_OVERRIDES: JSON.stringify({ 'google-gemini': command }) };
  return StandaloneHarnesses.make(fake, {}, environment);
}

const settings = { ...noSettings, permissionMode: 'bypassPermissions' };

it('trusts its workspace, takes its mode, and loads its session again', {
  timeout: limitMs(4 * minutes),
}, async () => {
  const fixture = await geminiWith();
  if (!fixture) return;
  const [first, again] = [new ReceivedUpdates(), new ReceivedUpdates()];

  const harness = await fixture.start(first, { agentType: 'google-gemini', settings });
  await harness.prompt(promptOf('remember me'));
  await harness.stop();
  const session = { mode: 'load', acpSessionId: harness.acpSessionId } as const;
  const loaded = await fixture.start(again, { agentType: 'google-gemini', settings, session });
  await loaded.prompt(promptOf('who am I'));
  await loaded.stop();

  expect(first.text).toBe('hello from the model');
  expect([...first.notices, ...again.notices]).toEqual([]);
  expect(model.requests.at(-1)?.body).toContain('remember me');
});

it('states which setting Gemini refused, and why', { timeout: limitMs(4 * minutes) }, async () => {
  const fixture = await geminiWith('GEMINI_CLI_TRUST_WORKSPACE=false');
  if (!fixture) return;
  const received = new ReceivedUpdates();
  const harness = await fixture.start(received, { agentType: 'google-gemini', settings });
  await harness.stop();

  const reason = 'Cannot enable privileged approval modes in an untrusted folder.';
  expect(received.notices).toEqual([{ code: 'setting_refused', text: expect.stringContaining(reason) }]);
  expect(received.notices[0]?.text).toContain('Gemini refused the mode "yolo"');
  expect(fixture.logged.find((line) => line.includes('Harness refused a setting'))).toContain(reason);
});

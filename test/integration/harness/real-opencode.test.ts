import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitMs } from '../../support/limit-ms.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { noSettings, promptOf, ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';
import { LoopbackModel, modelAnswers } from './loopback-model.js';
import { RealKinds } from './real-kinds.js';

/** OpenCode from npm, with a provider of the person's own on loopback. */
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

it('works with the provider of its settings, without a credential, and loads its session again', {
  timeout: limitMs(4 * minutes),
}, async () => {
  const installed = await real.install('opencode');
  if (!installed) return;
  const environment = { ACP_COMMAND_OVERRIDES: JSON.stringify({ opencode: installed.command }) };
  const fixture = await StandaloneHarnesses.make(fake, {}, environment);
  fake.next.set('agent-key', Array(4).fill({ status: 404, body: { error: 'not_found' } }));
  const settings = {
    ...noSettings,
    model: 'small-model',
    opencodeProvider: 'custom',
    opencodeBaseUrl: `${model.url}/v1`,
  };
  const [first, again] = [new ReceivedUpdates(), new ReceivedUpdates()];

  const harness = await fixture.start(first, { agentType: 'opencode', settings });
  await harness.prompt(promptOf('remember me'));
  await harness.stop();
  const session = { mode: 'load', acpSessionId: harness.acpSessionId } as const;
  const loaded = await fixture.start(again, { agentType: 'opencode', settings, session });
  await loaded.prompt(promptOf('who am I'));
  await loaded.stop();

  expect(first.text).toContain('hello from the model');
  expect(again.text).toContain('hello from the model');
  const asked = model.requests.at(-1);
  expect(asked?.path).toBe('/v1/chat/completions');
  expect(JSON.parse(asked?.body ?? '{}')).toMatchObject({ model: 'small-model' });
  expect(asked?.body).toContain('remember me');
});

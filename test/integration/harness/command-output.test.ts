import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { describeUpdate } from '../../../agent/src/reporting/message-text.js';
import { ToolCalls } from '../../../agent/src/reporting/tool-calls.js';
import { limitMs } from '../../support/limit-ms.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { noSettings, promptOf, ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';
import { LoopbackModel } from './loopback-model.js';
import { RealKinds } from './real-kinds.js';

const minutes = 60_000;
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const command = {
  type: 'function_call',
  call_id: 'call-1',
  name: 'exec_command',
  arguments: JSON.stringify({ cmd: 'echo out-$((40+2))' }),
};
const message = {
  type: 'message',
  role: 'assistant',
  id: 'm',
  content: [{ type: 'output_text', text: 'done' }],
};

function respond(response: ServerResponse, item: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { id: 'r', usage } },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** Codex with a model that has it run a command. Null without the registry of packages. */
async function runCommand(permissionMode: string | null): Promise<ReceivedUpdates | null> {
  await using fake = await FakeControlPlane.start();
  using real = new RealKinds(fake);
  const items = [command, message];
  await using model = await LoopbackModel.start(({ body }, response) => {
    // Codex tries a WebSocket first, then HTTPS with a body.
    const item = body === '' ? undefined : items.shift();
    if (item) respond(response, item);
    else response.writeHead(426).end('{}');
  });
  const installed = await real.install('openai-codex');
  if (!installed) return null;
  const inferenceConfig = {
    provider: 'openai-passthrough',
    baseURL: `${model.url}/v1`,
    apiKeySource: 'user-credential',
  };
  const body = { apiKey: 'sk-loopback-1234567890', credentialKind: 'api-key', inferenceConfig };
  fake.next.set('agent-key', [{ status: 200, body }]);
  const environment = { ACP_COMMAND_OVERRIDES: JSON.stringify({ 'openai-codex': installed.command }) };
  const fixture = await StandaloneHarnesses.make(fake, {}, environment);
  const received = new ReceivedUpdates();
  const settings = { ...noSettings, permissionMode };
  const harness = await fixture.start(received, { agentType: 'openai-codex', settings });
  await harness.prompt(promptOf('hello'));
  await harness.stop();
  return received;
}

function outputsOf({ updates }: ReceivedUpdates): readonly string[] {
  const calls = new ToolCalls(Date.now);
  const ended = updates.flatMap(({ update }) =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      ? calls.record(update)
      : [],
  );
  return ended.map((call) => describeUpdate.tool(call).trim());
}

it('the output of a command of Codex reaches the chat', { timeout: limitMs(4 * minutes) }, async () => {
  const received = await runCommand('bypassPermissions');
  if (received) expect(outputsOf(received)).toEqual(['out-42']);
});

it('Codex runs no command in a mode that refuses permissions', {
  timeout: limitMs(4 * minutes),
}, async () => {
  const received = await runCommand('dontAsk');
  if (received) expect(JSON.stringify(received.updates)).not.toContain('out-42');
});

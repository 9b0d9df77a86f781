import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { until } from '../../support/until.js';
import { AgentProcess } from '../agent/agent-process.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { workspaceRequest } from '../agent/workspace-request.js';
import { Conversation } from './a-conversation.js';

/**
 * The agent as nodes run it, against a control plane that passes messages to the storing function.
 */
let fake: FakeControlPlane;
let agent: AgentProcess;
let conversation: Conversation;
let calls: CallCount;

beforeAll(async () => {
  await new S3Client({ forcePathStyle: true })
    .send(new CreateBucketCommand({ Bucket: functionEnv.UPLOADS_BUCKET }))
    .catch(() => undefined);
  conversation = await Conversation.start([
    ...['callbacks/messages', 'callbacks/message-content'],
    ...['chats/messages', 'chats/tool-content'],
  ]);
  calls = countCalls(conversation.table.client);
  fake = await FakeControlPlane.start();
  for (const file of ['messages', 'message-content'])
    fake.handlers.set(file, (body) => conversation.callBack(`callbacks/${file}`, body));
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  const harness = await AcpHarness.make(join(agent.folder, 'harness'));
  await agent.start({ ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }) });
  const { workspaceId } = conversation.workspace;
  const body = await workspaceRequest(fake, workspaceId);
  await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
  await until('ready', () => (fake.callsTo(`${workspaceId}/ready`).length > 0 ? true : undefined));
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

/** Gives the agent of a new chat this prompt. */
async function prompt(text: string): Promise<string> {
  const { workspaceId, projectId } = conversation.workspace;
  const chatSessionId = await conversation.begin();
  const token = await fake.management(workspaceId);
  const at = `/workspaces/${workspaceId}/agent-sessions`;
  calls.reset();
  await agent.call('POST', at, token, { sessionId: chatSessionId, chatSessionId, projectId });
  const start = { agentType: 'claude-code', initialPrompt: text };
  await agent.call('POST', `${at}/${chatSessionId}/start`, token, start);
  return chatSessionId;
}

/** The agent's complete output, and its number of messages. */
const answerOf = (sessionId: string, isAllOf: (answer: string) => boolean) =>
  until('the whole answer', async () => {
    const messages = (await conversation.walk(sessionId, { limit: '100', roles: 'assistant' })).flat();
    const answer = messages.map(({ content }) => content).join('');
    return isAllOf(answer) ? { answer, count: messages.length } : undefined;
  });

it('an answer of ten thousand fragments costs at most 60 writes, and nothing of it is missing', async () => {
  const all = Array.from({ length: 10_000 }, (_, index) => `${index} `).join('');

  const sessionId = await prompt('[[flood 10000 2000]]');

  const { count } = await answerOf(sessionId, (answer) => answer === all);
  const writes = calls.names.filter((name) => !/Get|Query/.test(name));
  // Each is a transaction that writes the chat and its messages.
  expect(writes.length + count).toBeLessThanOrEqual(60);
});

it('text of an agent arrives unchanged: control characters, all scripts, surrogate pairs and combinations', async () => {
  const odd =
    'a\u0000b\u001b[31mred\u001b[0m \u0007\u007f 👩‍👩‍👧 e\u0301 \u202eعربى\u202c \ufeff"\\ \u2028 𝄞';

  const { answer } = await answerOf(await prompt(odd), (said) => said.includes('𝄞'));

  expect(answer).toBe(`echo: ${odd}`);
});

it('output of a tool is readable to its last byte, at the limit of a message, above it, and far above it', async () => {
  const sizes = [102_400, 102_401, 3_000_000];
  const sessionId = await prompt(`${sizes.map((size) => `[[output ${size}]]`).join(' ')} [[say done]]`);

  await answerOf(sessionId, (answer) => answer === 'done');
  const tools = (await conversation.walk(sessionId, { roles: 'tool' })).flat();
  expect(tools.map(({ contentBytes }) => contentBytes)).toEqual([null, 102_401, 3_000_000]);
  for (const [index, { sequence }] of tools.entries()) {
    const params = { sequence: String(sequence) };
    const { status, body, headers } = await conversation.ask('chats/tool-content', sessionId, { params });
    const content = status === 200 ? body.content : await (await fetch(String(headers.location))).text();
    expect(content).toBe('0123456789'.repeat(300_000).slice(0, sizes[index]));
  }
});

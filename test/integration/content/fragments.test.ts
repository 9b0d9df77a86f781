import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { until } from '../../support/until.js';
import { AgentProcess } from '../agent/agent-process.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { workspaceRequest } from '../agent/workspace-request.js';
import { Conversation } from './a-conversation.js';

/** The agent as nodes run it, told a control plane whose messages go to the function that stores them. */
let fake: FakeControlPlane;
let agent: AgentProcess;
let conversation: Conversation;
let calls: CallCount;

beforeAll(async () => {
  conversation = await Conversation.start(['callbacks/messages', 'chats/messages']);
  calls = countCalls(conversation.table.client);
  fake = await FakeControlPlane.start();
  fake.takeMessages = async ({ messages, streamId }) => {
    // What the agent sends, and the function checks again.
    return conversation.tell(messages as ConversationMessage[], { streamId: String(streamId) });
  };
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

/** Has the agent of a new chat work on this, and waits until the chat says it all. */
async function prompt(text: string, isAllOf: (answer: string) => boolean) {
  const { workspaceId, projectId } = conversation.workspace;
  const chatSessionId = await conversation.begin();
  const token = await fake.management(workspaceId);
  const at = `/workspaces/${workspaceId}/agent-sessions`;
  calls.reset();
  await agent.call('POST', at, token, { sessionId: chatSessionId, chatSessionId, projectId });
  await agent.call('POST', `${at}/${chatSessionId}/start`, token, {
    agentType: 'claude-code',
    initialPrompt: text,
  });
  return until('the whole answer', async () => {
    const query = { limit: '100', roles: 'assistant' };
    const messages = (await conversation.walk(chatSessionId, query)).flat();
    const answer = messages.map(({ content }) => content).join('');
    return isAllOf(answer) ? { answer, messages } : undefined;
  });
}

it('an answer of ten thousand fragments costs at most 60 writes, and nothing of it is missing', async () => {
  const all = Array.from({ length: 10_000 }, (_, index) => `${index} `).join('');

  const { messages } = await prompt('[[flood 10000 2000]]', (answer) => answer === all);

  const writes = calls.names.filter((name) => !/Get|Query/.test(name));
  // Each is a transaction that writes the chat beside its messages.
  expect(writes.length + messages.length).toBeLessThanOrEqual(60);
});

it('what an agent says arrives character by character: control characters, all scripts, pairs and combinations', async () => {
  const odd =
    'a\u0000b\u001b[31mred\u001b[0m \u0007\u007f 👩‍👩‍👧 e\u0301 \u202eعربى\u202c \ufeff"\\ \u2028 𝄞';

  const { answer } = await prompt(odd, (said) => said.includes('𝄞'));

  expect(answer).toBe(`echo: ${odd}`);
});

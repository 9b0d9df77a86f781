import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { AgentViewer } from '../../support/agent-viewer.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

/**
 * The agent as nodes run it, with a real harness process; the control plane fails as the test says.
 */
const workspaceId = ulid();
let fake: FakeControlPlane;
let agent: AgentProcess;
let settings: Record<string, string>;
let harness: AcpHarness;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  harness = await AcpHarness.make(join(agent.folder, 'harness'));
  settings = {
    ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }),
    ACP_HEARTBEAT_INTERVAL: '200ms',
    ACP_HARNESS_ACTIVITY_REPORT_DEBOUNCE: '10ms',
    MSG_BATCH_MAX_WAIT: '50ms',
    MSG_RETRY_INITIAL: '20ms',
    MSG_RETRY_MAX: '50ms',
  };
  await agent.start(settings);
  const body = await workspaceRequest(fake, workspaceId);
  await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
  await until('ready', () => (fake.callsTo(`${workspaceId}/ready`).length > 0 ? true : undefined));
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: unknown) {
  const token = await fake.management(workspaceId);
  return agent.call(method, `/workspaces/${workspaceId}/agent-sessions${path}`, token, body);
}

async function start(sessionId: string, initialPrompt: string): Promise<void> {
  await call('POST', '', { sessionId, chatSessionId: `chat-${sessionId}`, projectId: 'project' });
  await call('POST', `/${sessionId}/start`, { agentType: 'claude-code', initialPrompt });
}

const state = async (sessionId: string) => {
  const { body } = await call('GET', '');
  return (body.sessions as { id: string; hostStatus: string; acpSessionId: string | null }[]).find(
    ({ id }) => id === sessionId,
  );
};

const rested = (sessionId: string) =>
  until('rest', async () => ((await state(sessionId))?.hostStatus === 'ready' ? true : undefined));

async function watch(sessionId: string): Promise<AgentViewer> {
  const url = `wss://127.0.0.1:${agent.port}/agent/ws?sessionId=${sessionId}&token=${await fake.terminal(workspaceId)}`;
  return new AgentViewer(new WebSocket(url, { ca: agent.certificate() }));
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index} `).join('');

interface Kept {
  readonly messageId: string;
  readonly sessionId: string;
  readonly role: string;
  readonly content: string;
  readonly sequence: number;
}

/** What a control plane that keeps each message once, under its id, has by now of a chat. */
function chatOf(sessionId: string): Kept[] {
  const kept = new Map<string, Kept>();
  for (const { body } of fake.callsTo(`${workspaceId}/messages`))
    for (const message of body.messages as Kept[])
      if (message.sessionId === `chat-${sessionId}` && !kept.has(message.messageId))
        kept.set(message.messageId, message);
  return [...kept.values()];
}

const textOf = (messages: readonly Kept[], role: string) =>
  messages
    .filter((message) => message.role === role)
    .map(({ content }) => content)
    .join('');

it('shows a flood of updates whole and in order to viewers that attach at any time', async () => {
  const count = 4_000;
  await start('flood', `[[flood ${count} 2000]]`);
  const viewers: Promise<AgentViewer>[] = [];
  for (let index = 0; index < 8; index++) {
    viewers.push(watch('flood'));
    // Some time in the two seconds that it lasts.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
  }

  for (const viewer of await Promise.all(viewers)) {
    await viewer.ofType('session_prompt_done');
    expect(viewer.transcript).toBe(`|user: [[flood ${count} 2000]]|agent: ${numbers(count)}`);
    viewer.socket.close();
  }
});

it('delivers a chat once and in order, over failures of the control plane and a killed agent', async () => {
  // Refused, or taken with an answer that is lost.
  const trouble = Array.from({ length: 12 }, (_, index) =>
    index % 3 ? { status: 503, body: {} } : { status: 200, body: 'lost' },
  );
  fake.next.set('messages', trouble);
  await start('killed', '[[stream 50]]');
  await rested('killed');
  await call('POST', '/killed/prompt', { prompt: '[[flood 40000 4000]]' });
  await until('some of the flood', () =>
    chatOf('killed').filter(({ role }) => role === 'assistant').length > 2 ? true : undefined,
  );

  await agent.kill('SIGKILL');
  const reported = fake.activitiesOf('killed').length;
  await agent.start(settings);
  await until('idle', () =>
    fake
      .activitiesOf('killed')
      .slice(reported)
      .find(({ activity }) => activity === 'idle'),
  );
  const viewer = await (await watch('killed')).attached();
  viewer.prompt('again', '[[say and on]]');
  await viewer.answerTo('again');

  const chat = await until('the last words', () => {
    const messages = chatOf('killed');
    return messages.some(({ content }) => content === 'and on') ? messages : undefined;
  });
  expect(chat.map(({ sequence }) => sequence)).toEqual(chat.map((_, index) => index + 1));
  expect(chat.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    '[[stream 50]]',
    '[[flood 40000 4000]]',
    '[[say and on]]',
  ]);
  const first = chat.findIndex(({ content }) => content === '[[flood 40000 4000]]');
  const second = chat.findIndex(({ content }) => content === '[[say and on]]');
  expect(textOf(chat.slice(0, first), 'assistant')).toBe(numbers(50));
  // Of the turn that was killed there is a beginning, whole up to where it ends.
  const begun = textOf(chat.slice(first, second), 'assistant');
  expect(begun.length).toBeGreaterThan(0);
  expect(numbers(40_000).startsWith(begun)).toBe(true);
});

it('delivers a turn after the agent is killed before the first delivery', async () => {
  fake.next.set(
    'messages',
    Array.from({ length: 10_000 }, () => ({ status: 503, body: {} })),
  );
  await start('untold', '[[stream 50]]');
  await rested('untold');
  await agent.kill('SIGKILL');
  const refused = fake.callsTo(`${workspaceId}/messages`).length;
  fake.next.delete('messages');

  await agent.start(settings);

  const reported = await until('the answer', () => {
    const messages = fake
      .callsTo(`${workspaceId}/messages`)
      .slice(refused)
      .flatMap(({ body }) => body.messages as Kept[])
      .filter(({ sessionId }) => sessionId === 'chat-untold');
    return textOf(messages, 'assistant') === numbers(50) ? messages : undefined;
  });
  expect(reported.map(({ sequence }) => sequence)).toEqual(reported.map((_, index) => index + 1));
});

it('reports a turn with its first and last messages only', async () => {
  await agent.kill('SIGKILL');
  // No report is sent alone for being late.
  await agent.start({
    ...settings,
    ACP_HARNESS_ACTIVITY_REPORT_DEBOUNCE: '30s',
    MSG_BATCH_MAX_WAIT: '500ms',
  });
  await start('brief', '[[say first]]');
  await until('rest', () => fake.activitiesOf('brief').find(({ activity }) => activity === 'idle'));
  const before = fake.calls.length;
  const prompt = '[[tool Read]][[sh sleep 2]][[say done]]';
  const sent = { prompt, messageId: 'm-brief', deliveryId: 'd-brief', protocolVersion: 1 };
  expect(await call('POST', '/brief/prompt', sent)).toMatchObject({ status: 202 });

  await until('the end', () => fake.activitiesOf('brief').filter(({ activity }) => activity === 'idle')[1]);

  const reported = fake.calls
    .slice(before)
    .filter(({ path }) => path.endsWith('/messages') || path.endsWith('brief/activity'))
    .map(({ body }) => ({
      roles: (body.messages as Kept[] | undefined)?.map(({ role }) => role),
      activity: (body.activity as { activity?: string } | undefined)?.activity,
    }));
  expect(reported).toEqual([
    { roles: ['user', 'tool'], activity: 'prompting' },
    { roles: expect.arrayContaining(['assistant']), activity: 'idle' },
  ]);
});

it('states in chat, receipt and activity that the coding agent crashed in a turn', async () => {
  await start('crash', '[[say first]]');
  await rested('crash');
  const prompt = '[[say I begin]][[stderr heap out of memory]][[crash 134]]';
  const sent = { prompt, messageId: 'm-crash', deliveryId: 'd-crash', protocolVersion: 1 };
  expect(await call('POST', '/crash/prompt', sent)).toMatchObject({ status: 202 });

  const report = await until('the report', () =>
    fake.activitiesOf('crash').find(({ activity, statusError }) => activity === 'idle' && statusError),
  );
  const notice = await until('the message', () => chatOf('crash').find(({ role }) => role === 'system'));
  const { body: receipt } = await call('GET', '/crash/prompt-receipts/d-crash');

  const text =
    /^Claude Code ended with code 134 during this turn\. It was started again and has loaded the conversation\..*heap out of memory$/s;
  expect(notice.content).toMatch(text);
  expect(report.statusError).toMatch(text);
  expect(receipt).toMatchObject({ state: 'completed', errorCode: 'agent_crash' });
});

it('continues in a new session with a summary when a crashed agent cannot load its own', async () => {
  await start('dead', '[[say first words]]');
  await rested('dead');
  const { acpSessionId } = (await state('dead')) ?? {};
  await call('POST', '/dead/prompt', { prompt: '[[say I begin]][[wait forgotten]][[crash 134]]' });
  await until('the first words', () => chatOf('dead').find(({ content }) => content === 'I begin'));
  harness.forget(acpSessionId ?? '');
  harness.openGate('forgotten');

  const report = await until('the report', () =>
    fake.activitiesOf('dead').find(({ activity, statusError }) => activity === 'idle' && statusError),
  );
  const notice = await until('the message', () => chatOf('dead').find(({ role }) => role === 'system'));
  const viewer = await (await watch('dead')).attached();
  viewer.prompt('next', 'go on');
  await viewer.answerTo('next');
  const [sent] = harness.journal('prompt').filter(({ text }) => text?.endsWith('go on'));

  const reason = 'Claude Code ended with code 134 during this turn, and could not be started again: ';
  expect(report.statusError).toContain(reason);
  expect(notice.content).toContain(`${reason}The harness refused to load the session`);
  expect(notice.content).toContain('begins with a summary of this conversation');
  expect(sent?.text).toContain('You: first words');
  expect(sent?.sessionId).not.toBe(acpSessionId);
});

it('sends node heartbeats to the project of a session', async () => {
  const { path, body } = await until('heartbeat', () => fake.callsTo('/node-acp-heartbeat')[0]);

  expect(path).toBe('/api/projects/project/node-acp-heartbeat');
  expect(body).toEqual({ nodeId: expect.any(String) });
});

it('delivers the last messages of a deleted workspace', async () => {
  await start('last', '[[say the last words]]');
  await rested('last');

  await agent.call('DELETE', `/workspaces/${workspaceId}`, await fake.management(workspaceId));

  expect(textOf(chatOf('last'), 'assistant')).toBe('the last words');
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../agent/src/harness/harness.js';
import { AgentViewer } from '../../support/agent-viewer.js';
import { until } from '../../support/until.js';
import { type AgentSocketServer, startAgentSocketServer } from './agent-socket-server.js';
import { nodeId, userId } from './fake-control-plane.js';

let server: AgentSocketServer;
let sessionId: string;
let count = 0;

beforeAll(async () => {
  server = await startAgentSocketServer();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(() => {
  sessionId = `session-${++count}`;
});

const viewer = async (query = `sessionId=${sessionId}`, token?: string) =>
  new AgentViewer(await server.connect(query, token));

const key = () => ({ workspaceId: server.workspaceId, sessionId });

/** A session of a chat in a project, with an agent chosen. */
function create(): void {
  server.sessions.create(
    server.workspaceId,
    { sessionId, chatSessionId: `chat-${sessionId}`, projectId: 'project' },
    null,
  );
}

async function ready(): Promise<AgentViewer> {
  const first = await (await viewer()).attached();
  first.send({ type: 'select_agent', agentType: 'claude-code' });
  await first.frame('ready', ({ type, status }) => type === 'session_state' && status === 'ready');
  return first;
}

/** The turn that is in flight. */
const turn = () => until('turn', () => server.harnesses.last.turns.at(-1));
const calls = (end: string) => server.fake.calls.filter(({ path }) => path.endsWith(end));
const messages = () =>
  calls(`${server.workspaceId}/messages`).flatMap(
    ({ body }) => body.messages as { sessionId: string; role: string; content: string; sequence: number }[],
  );

it('starts the agent of a session in error when a viewer selects it', async () => {
  const first = await ready();
  server.harnesses.failures.push(new HarnessError('failed', 'no such session'));
  server.harnesses.last.die();
  await first.frame('error', ({ type, status }) => type === 'session_state' && status === 'error');

  const later = await (await viewer()).attached();
  later.send({ type: 'select_agent', agentType: 'claude-code' });
  await later.frame('ready', ({ type, status, error }) => {
    return type === 'session_state' && status === 'ready' && error === undefined;
  });
  later.prompt(1, 'go on');
  (await turn()).end();

  expect(await later.answerTo(1)).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(server.sessions.list(server.workspaceId)[0]).toMatchObject({ status: 'running' });
});

it('sends the failure of a start once', async () => {
  server.harnesses.failures.push(new HarnessError('failed', 'no such model'));
  const first = await (await viewer()).attached();
  first.send({ type: 'select_agent', agentType: 'claude-code' });
  await first.frame('error', ({ type, status }) => type === 'session_state' && status === 'error');
  first.send({ type: 'ping' });
  await first.frame('pong', ({ type }) => type === 'pong');

  expect(first.frames.filter(({ type, status }) => type === 'agent_status' && status === 'error')).toEqual([
    { type: 'agent_status', status: 'error', agentType: 'claude-code', error: 'no such model' },
  ]);
});

describe('access to /agent/ws', () => {
  it('needs a terminal token of the workspace', async () => {
    const { fake, workspaceId } = server;
    const wrong = [
      [await fake.management(workspaceId), 401],
      ['garbage', 401],
      [await fake.terminal(workspaceId, 7), 403],
    ] as const;

    for (const [token, status] of wrong) {
      const { refused } = await until('refusal', async () => {
        const one = await viewer(undefined, token);
        return until('answer', () => (one.refused ? one : undefined));
      });
      expect(refused?.status).toBe(status);
    }
    expect(server.sessions.list(workspaceId).map(({ id }) => id)).not.toContain(sessionId);
  });

  it.each(['sessionId=no%20id', 'worktree=../x', `sessionId=${'x'.repeat(129)}`])(
    'refuses %s before anything is made',
    async (query) => {
      const before = server.sessions.list(server.workspaceId).length;

      const one = await viewer(query);
      await until('refusal', () => one.refused ?? undefined);

      expect(one.refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(server.sessions.list(server.workspaceId)).toHaveLength(before);
    },
  );

  it('ends with the sign-in session', async () => {
    const one = await (await viewer()).attached();
    const claims = { sub: userId, workspace: server.workspaceId, node: nodeId, generation: 1 };
    const token = await server.fake.sign({ aud: 'workspace-terminal', ...claims, session: 'ended' });
    const other = await (await viewer(undefined, token)).attached();

    server.ends.end('ended');
    await until('close', () => other.closed ?? undefined);

    expect(other.closed).toEqual({ code: 1008, reason: 'session ended' });
    expect(one.closed).toBeNull();
  });
});

describe('the session of a viewer', () => {
  it('is created when none is named, and appears among the tabs', async () => {
    const before = new Set(server.sessions.list(server.workspaceId).map(({ id }) => id));
    await (await viewer('')).attached();

    const made = server.sessions.list(server.workspaceId).filter(({ id }) => !before.has(id));

    expect(made).toMatchObject([{ status: 'running', hostStatus: 'idle', viewerCount: 1 }]);
    expect(made[0]?.id).toMatch(/^session-[0-9a-f]{16}$/);
    expect(server.tabs.list(server.workspaceId, 'anybody').map(({ id }) => id)).toContain(made[0]?.id);
  });

  it('is resumed when suspended', async () => {
    create();
    await server.sessions.suspend(key());

    await (await viewer()).attached();

    expect(server.sessions.session(key()).status).toBe('running');
  });

  it('is refused before the upgrade when stopped', async () => {
    create();
    await server.sessions.stop(key());

    const one = await viewer();
    await until('refusal', () => one.refused ?? undefined);

    expect(one.refused).toMatchObject({ status: 409, body: { error: 'session_not_running' } });
  });

  it.each([
    ['suspended', () => server.sessions.suspend(key())],
    ['stopped', () => server.sessions.stop(key())],
  ])('closes its viewers when it is %s', async (what, end) => {
    create();
    const one = await (await viewer()).attached();

    await end();
    await until('close', () => one.closed ?? undefined);

    expect(one.closed).toEqual({ code: 1001, reason: `session ${what}` });
  });
});

describe('a turn', () => {
  it('is sent to all viewers in order, and replayed to later ones', async () => {
    create();
    const first = await ready();
    const second = await (await viewer()).attached();

    first.prompt('p-1', 'Do it', { messageId: `m-${sessionId}` });
    const { end } = await turn();
    for (let index = 0; index < 500; index++) server.harnesses.last.say(`${index} `);
    end();
    const answer = await first.answerTo('p-1');
    const late = await (await viewer()).attached();

    const said = Array.from({ length: 500 }, (_, index) => `${index} `).join('');
    for (const one of [first, second, late]) expect(one.transcript).toBe(`|user: Do it|agent: ${said}`);
    expect(answer).toMatchObject({ result: { stopReason: 'end_turn' } });
    for (const { frames } of [first, late]) {
      const ids = frames.flatMap(
        ({ params }) => (params as { sessionId?: string } | undefined)?.sessionId ?? [],
      );
      expect(new Set(ids)).toEqual(new Set([sessionId]));
    }
    // Everything of the turn comes before its end.
    const ended = first.frames.findIndex(({ type }) => type === 'session_prompt_done');
    const lastUpdate = first.frames.findLastIndex(({ method }) => method === 'session/update');
    expect(ended).toBeGreaterThan(lastUpdate);
    expect(await second.answerTo('p-1')).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(late.frames[0]).toMatchObject({ type: 'session_state', status: 'ready' });
    expect(late.frames.filter(({ id }) => id !== undefined)).toEqual([]);
    const replayed = late.frames.findIndex(({ type }) => type === 'session_replay_complete') - 1;
    expect(late.frames[0]?.replayCount).toBe(replayed);
  });

  it('reaches the chat once and in order, with one promptStartedAt', async () => {
    create();
    const one = await ready();
    one.prompt(1, 'Do it', { messageId: `m-${sessionId}` });
    const { end } = await turn();
    const working = await until('prompting', () =>
      server.fake.activitiesOf(sessionId).find(({ activity }) => activity === 'prompting'),
    );
    server.harnesses.last.say('Done');
    end();
    await one.answerTo(1);

    const chat = await until('messages', () => {
      const found = messages().filter((message) => message.sessionId === `chat-${sessionId}`);
      return found.length >= 2 ? found : undefined;
    });
    const resting = await until('idle', () =>
      server.fake
        .activitiesOf(sessionId)
        .slice(server.fake.activitiesOf(sessionId).indexOf(working))
        .find(({ activity }) => activity === 'idle'),
    );
    const started = await one.ofType('session_prompting');
    expect(chat).toMatchObject([
      { role: 'user', content: 'Do it', messageId: `m-${sessionId}`, sequence: 1, origin: 'user' },
      { role: 'assistant', content: 'Done', sequence: 2 },
    ]);
    expect(working).toMatchObject({
      agentType: 'claude-code',
      promptStartedAt: started.promptStartedAt,
    });
    expect(resting).not.toHaveProperty('promptStartedAt');
  });

  it('is refused to a second viewer while one runs, and either may cancel it', async () => {
    create();
    const first = await ready();
    const second = await (await viewer()).attached();
    first.prompt(1, 'Go');
    await turn();

    second.prompt(1, 'Me too');
    const refusal = await second.answerTo(1);
    second.send({ jsonrpc: '2.0', method: 'session/cancel' });
    const answer = await first.answerTo(1);

    expect(refusal).toMatchObject({ error: { code: -32603 } });
    expect(answer).toMatchObject({ error: { code: -32800 } });
    expect(first.frames.filter(({ id }) => id === 1)).toHaveLength(1);
  });

  it('continues without its viewer', async () => {
    create();
    const first = await ready();
    first.prompt(1, 'Go');
    const { end } = await turn();
    first.socket.terminate();
    server.harnesses.last.say('still here');
    end();

    const again = await (await viewer()).attached();

    await again.ofType('session_prompt_done');
    expect(again.transcript).toBe('|user: Go|agent: still here');
  });
});

describe('a frame of a viewer', () => {
  it('is answered, ignored or refused, and never ends the socket', async () => {
    create();
    const one = await ready();
    for (const nonsense of [
      'garbage',
      '[]',
      '{"type":"unknown"}',
      '{"jsonrpc":"2.0","method":"fs/read","id":9}',
    ])
      one.send(nonsense);
    one.socket.send(Buffer.from([1, 2, 3]));
    one.send({ jsonrpc: '2.0', id: 'bad', method: 'session/prompt', params: { prompt: [] } });
    one.prompt('long', 'x'.repeat(200_001));
    one.send({ type: 'ping' });

    await one.ofType('pong');

    expect(await one.answerTo('bad')).toMatchObject({ error: { code: -32602 } });
    expect(await one.answerTo('long')).toMatchObject({ error: { code: -32602 } });
    expect(one.frames.filter(({ id }) => id === 9)).toEqual([]);
    expect(one.closed).toBeNull();
  });

  it('ends the socket when frames are too many or too large', async () => {
    const flooding = await (await viewer()).attached();
    for (let index = 0; index < 200; index++) flooding.send({ type: 'ping' });
    const huge = await (await viewer()).attached();
    huge.send('x'.repeat(3_000_000));

    await until('both closed', () => (flooding.closed && huge.closed ? true : undefined));

    expect(flooding.closed).toEqual({ code: 1008, reason: 'rate limit exceeded' });
    expect(huge.closed?.code).toBe(1009);
  });
});

describe('a viewer that does not read', () => {
  it('is closed, delays nobody, and gets everything after a reconnect', async () => {
    const first = await ready();
    const lazy = await (await viewer()).attached();
    lazy.socket.pause();
    first.prompt(1, 'Go');
    const { end } = await turn();
    // More than sockets between two processes hold, in frames that cannot be joined.
    const text = 'x'.repeat(20_000);
    for (let index = 0; index < 1_500; index++) {
      server.harnesses.last.say(text);
      // Whoever reads is waited for: on a busy machine it would fall behind and be cut as well.
      if (index % 100 === 99)
        await until('read', () => (first.transcript.length >= index * 20_000 ? true : undefined));
    }
    end();
    await first.answerTo(1);
    const before = first.transcript.length;

    lazy.socket.resume();
    await until('cut', () => lazy.closed ?? undefined, 20_000);
    const again = await (await viewer()).attached();

    expect(before).toBe(1_500 * 20_000 + '|user: Go|agent: '.length);
    expect([1006, 1013]).toContain(lazy.closed?.code);
    expect(Number(again.frames[0]?.lostCount)).toBeGreaterThan(0);
    expect(again.transcript.endsWith(text)).toBe(true);
  });
});

import { expect, it, vi } from 'vitest';
import type { StubHarness } from '../../../test/support/stub-harness.js';
import { type StubSessions, stubSessions, workspaceId } from '../../../test/support/stub-sessions.js';
import { HarnessError } from '../harness/harness.js';

const key = { workspaceId, sessionId: 'one' };
const start = { agentType: 'claude-code' as const, initialPrompt: 'begin' };
const versioned = (deliveryId: string) => ({ protocolVersion: 1, deliveryId });
const soon = { timeout: 5_000, interval: 2 };

const hostStatus = (all: StubSessions) => all.sessions.list(workspaceId)[0]?.hostStatus;
const receiptOf = (all: StubSessions, deliveryId: string) => all.records.findReceipt({ ...key, deliveryId });
const stateOf = (all: StubSessions, deliveryId: string) => receiptOf(all, deliveryId)?.state;
const ends = (all: StubSessions) => all.reported.of('promptEnded').map(([, stopReason]) => stopReason);

/** A session whose first prompt, `begin`, is with the harness. */
async function prompting(overrides = {}) {
  const all = stubSessions(overrides);
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  expect(all.sessions.start(key, { ...start, ...versioned('d-1') }).status).toBe(202);
  return { all, harness: await harnessWithTurn(all) };
}

async function harnessWithTurn(all: StubSessions, turns = 1): Promise<StubHarness> {
  await vi.waitFor(() => expect(all.harnesses.last.turns).toHaveLength(turns), soon);
  return all.harnesses.last;
}

async function until(all: StubSessions, status: string) {
  await vi.waitFor(() => expect(hostStatus(all)).toBe(status), soon);
}

it('runs a prompt from acceptance to end in order, with the receipt first', async () => {
  const { all, harness } = await prompting();
  expect(stateOf(all, 'd-1')).toBe('in_flight');
  expect(all.records.find(key)?.acpSessionId).toBe('acp-1');

  harness.say('hello');
  harness.turns[0]?.end();
  await until(all, 'ready');

  expect(stateOf(all, 'd-1')).toBe('completed');
  expect(all.reported.calls.map(([what, detail]) => `${what} ${detail ?? ''}`.trim())).toEqual([
    'storePrompt begin',
    'promptStarted begin',
    'hostStatus starting',
    'hostStatus prompting',
    'update',
    'storeRemaining',
    'promptEnded end_turn',
    'hostStatus ready',
  ]);
});

it('answers with the id of the ACP session, once the harness has one', async () => {
  const all = stubSessions();
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  const begin = () => all.sessions.start(key, { ...start, ...versioned('d-1') });

  expect(begin()).toMatchObject({ status: 202, body: { sessionId: 'one' } });
  await harnessWithTurn(all);
  expect(begin()).toMatchObject({ status: 200, body: { sessionId: 'acp-1' } });
});

it('accepts nothing when the commit fails, and accepts the repeated delivery', async () => {
  const { all, harness } = await prompting();
  harness.turns[0]?.end();
  await until(all, 'ready');

  all.reported.storesPrompts = false;
  expect(() => all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') })).toThrow('disk full');
  expect(all.records.findReceipt({ ...key, deliveryId: 'd-2' })).toBeNull();
  all.reported.storesPrompts = true;
  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') }).status).toBe(202);
  expect(harness.turns.map(({ text }) => text)).toEqual(['begin']);
  await harnessWithTurn(all, 2);
});

it('sends the instructions to the harness, not to the viewers', async () => {
  const all = stubSessions();
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  all.sessions.start(key, { ...start, injectedInstructions: 'be kind' });
  const harness = await harnessWithTurn(all);

  expect(harness.turns[0]?.text).toBe('be kind|begin');
  expect(all.reported.of('promptStarted')).toEqual([['promptStarted', 'begin']]);
});

it('refuses a second prompt while one is in flight, and does not queue it', async () => {
  const { all, harness } = await prompting();

  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') })).toMatchObject({
    status: 409,
    body: { status: 'not_ready', receipt: { state: 'accepted' } },
  });
  expect(all.sessions.prompt(key, { prompt: 'x' })).toMatchObject({ status: 409, body: { status: 'busy' } });
  harness.turns[0]?.end();
  await until(all, 'ready');
  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') }).status).toBe(202);
  await harnessWithTurn(all, 2);
});

it('retries a transient failure with backoff while no output is visible', async () => {
  const { all, harness } = await prompting();
  const overloaded = new HarnessError('transient', 'overloaded');
  harness.turns[0]?.fail(overloaded);
  (await harnessWithTurn(all, 2)).turns[1]?.fail(overloaded);
  (await harnessWithTurn(all, 3)).turns[2]?.fail(overloaded);
  await until(all, 'ready');

  expect(all.reported.of('promptRetried')).toEqual([
    ['promptRetried', 1, 1],
    ['promptRetried', 2, 2],
  ]);
  expect(ends(all)).toEqual(['error']);
  expect(stateOf(all, 'd-1')).toBe('completed');
});

it('never retries a turn with visible output', async () => {
  const { all, harness } = await prompting();
  harness.say('I have deleted');
  harness.turns[0]?.fail(new HarnessError('transient', 'overloaded'));
  await until(all, 'ready');

  expect(harness.turns).toHaveLength(1);
  expect(ends(all)).toEqual(['error']);
});

it('marks a prompt ambiguous when its harness exits silently, and loads the same session', async () => {
  const { all, harness } = await prompting();
  harness.die();
  await until(all, 'ready');

  expect(stateOf(all, 'd-1')).toBe('ambiguous');
  expect(ends(all)).toEqual(['recovered']);
  expect(all.harnesses.requests.map(({ session }) => session)).toEqual([
    { mode: 'new' },
    { mode: 'load', acpSessionId: 'acp-1' },
  ]);
  expect(all.harnesses.last.turns).toHaveLength(0);
  expect(all.reported.of('crashed')).toEqual([['crashed', true, 'it broke']]);
  expect(all.records.find(key)?.restartCount).toBe(1);
  expect(all.reported.of('restarted')).toEqual([['restarted', 1]]);
});

it('completes the receipt of a prompt whose harness exits after an update', async () => {
  const { all, harness } = await prompting();
  harness.say('I begin');
  harness.die();
  await until(all, 'ready');

  expect(receiptOf(all, 'd-1')).toMatchObject({ state: 'completed', errorCode: 'agent_crash' });
  expect(all.reported.of('promptEnded')[0]?.[2]).toMatch(
    /^The harness ended during this turn\. It was started again and has loaded the conversation\..*it broke$/s,
  );
  expect(all.reported.of('notice')).toEqual([]);
});

it('states in the chat that a harness without a turn could not be started again', async () => {
  const { all, harness } = await prompting();
  harness.turns[0]?.end();
  await until(all, 'ready');
  all.harnesses.failures.push(new HarnessError('failed', 'no such session'));
  harness.die();
  await until(all, 'error');

  expect(all.reported.of('notice')).toEqual([
    ['notice', 'agent_failed', expect.stringContaining('no such session')],
  ]);
});

it('fails with standard error when the harness cannot be started again', async () => {
  const { all, harness } = await prompting();
  all.harnesses.failures.push(new HarnessError('failed', 'no such session'));
  harness.die();
  await until(all, 'error');

  expect(ends(all)).toEqual(['fatal_error']);
  expect(all.records.find(key)).toMatchObject({
    status: 'error',
    errorMessage:
      'The harness ended during this turn, and could not be started again: no such session\nit broke',
  });
  expect(all.harnesses.started).toHaveLength(1);
  expect(all.reported.of('crashed')).toEqual([['crashed', false, 'it broke']]);
});

it('begins a new session with a summary after a crash when the session cannot be loaded', async () => {
  const { all, harness } = await prompting();
  harness.say('I have begun');
  all.harnesses.failures.push(new HarnessError('not_loaded', 'no such session'));
  harness.die();
  await until(all, 'idle');

  expect(ends(all)).toEqual(['error']);
  expect(receiptOf(all, 'd-1')).toMatchObject({ state: 'completed', errorCode: 'conversation_lost' });
  expect(all.sessions.prompt(key, { prompt: 'go on', ...versioned('d-2') }).status).toBe(409);
  await until(all, 'ready');
  expect(all.sessions.prompt(key, { prompt: 'go on', ...versioned('d-2') }).status).toBe(202);
  const next = await harnessWithTurn(all);
  expect(next.request.session).toEqual({ mode: 'new' });
  expect(next.turns[0]?.text).toMatch(/Person: begin\n\nYou: I have begun\n\nEnd of .*\|go on$/s);
  next.turns[0]?.end();
  await until(all, 'ready');
  expect(all.sessions.prompt(key, { prompt: 'more', ...versioned('d-3') }).status).toBe(202);
  expect((await harnessWithTurn(all, 2)).turns[1]?.text).toBe('more');
});

it('begins a new session with a summary after a forced cancel when the session cannot be loaded', async () => {
  const { all, harness } = await prompting();
  harness.canCancel = false;
  all.harnesses.failures.push(new HarnessError('not_loaded', 'no such session'));
  all.sessions.cancel(key);
  await until(all, 'idle');

  expect(ends(all)).toEqual(['cancelled']);
  expect(all.reported.of('notice')).toEqual([
    ['notice', 'conversation_lost', expect.stringMatching(/^no such session\.\nA message to this session/)],
  ]);
  expect(all.records.find(key)).toMatchObject({ status: 'running', acpSessionId: null });
});

it('sends the prompt that a start was to load a lost session for, with a summary', async () => {
  const { all, harness } = await prompting();
  harness.turns[0]?.end();
  await until(all, 'ready');
  await all.sessions.suspend(key);
  await all.sessions.resume(key);
  all.harnesses.failures.push(new HarnessError('not_loaded', 'no such session'));
  expect(all.sessions.start(key, { ...start, initialPrompt: 'go on', ...versioned('d-2') }).status).toBe(202);

  await vi.waitFor(() => expect(all.harnesses.started).toHaveLength(2), soon);
  const next = await harnessWithTurn(all);
  expect(next.turns[0]?.text).toMatch(/Person: begin.*\|go on$/s);
  next.turns[0]?.end();
  await until(all, 'ready');
  expect(receiptOf(all, 'd-2')).toMatchObject({ state: 'completed', errorCode: null });
});

it('restarts a crashing harness a limited number of times', async () => {
  const { all, harness } = await prompting();
  harness.turns[0]?.end();
  await until(all, 'ready');
  for (let crash = 1; crash <= 3; crash += 1) {
    all.harnesses.last.die();
    await vi.waitFor(() => expect(all.harnesses.started).toHaveLength(crash + 1), soon);
    await until(all, 'ready');
  }
  all.harnesses.last.die();
  await until(all, 'error');

  expect(all.harnesses.started).toHaveLength(4);
  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') })).toMatchObject({ status: 409 });
});

it('sends the prompt of a start once, over crashes during the start', async () => {
  const all = stubSessions();
  const broken = new HarnessError('crashed_at_start', 'broken');
  all.harnesses.failures.push(broken, broken, broken);
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  all.sessions.start(key, { ...start, ...versioned('d-1') });

  const harness = await harnessWithTurn(all);
  expect(all.harnesses.requests).toHaveLength(4);
  expect(harness.turns).toHaveLength(1);
});

it.each([
  ['not_startable', 1],
  ['crashed_at_start', 4],
] as const)(
  'completes the receipt of a start that failed as %s, and sends no prompt',
  async (kind, starts) => {
    const all = stubSessions();
    all.harnesses.failures.push(...Array(4).fill(new HarnessError(kind, 'no credential', { stderr: 'why' })));
    all.sessions.create(workspaceId, { sessionId: 'one' }, null);
    all.sessions.start(key, { ...start, ...versioned('d-1') });
    await until(all, 'error');

    expect(all.harnesses.requests).toHaveLength(starts);
    expect(receiptOf(all, 'd-1')).toMatchObject({ state: 'completed', errorCode: 'never_invoked' });
    expect(all.records.find(key)?.errorMessage).toBe('no credential\nwhy');
  },
);

it('waits for the harness to end a cancelled turn', async () => {
  const { all } = await prompting();
  expect(all.sessions.cancel(key).status).toBe('cancelled');
  await until(all, 'ready');

  expect(ends(all)).toEqual(['cancelled']);
  expect(receiptOf(all, 'd-1')).toMatchObject({ state: 'completed', errorCode: null });
  expect(all.harnesses.started).toHaveLength(1);
  expect(all.sessions.cancel(key).status).toBe('idle');
});

it.each([
  ['ignores the cancel', { onCancel: () => undefined }],
  ['knows no cancel', { canCancel: false }],
])('stops a harness that %s, and loads its session again', async (_, manners) => {
  const { all, harness } = await prompting();
  Object.assign(harness, manners);
  all.sessions.cancel(key);
  await until(all, 'ready');

  expect(ends(all)).toEqual(['cancelled']);
  expect(stateOf(all, 'd-1')).toBe('ambiguous');
  expect(harness.isGone).toBe(true);
  expect(all.harnesses.last.request.session).toEqual({ mode: 'load', acpSessionId: 'acp-1' });
  expect(all.records.find(key)?.restartCount).toBe(0);
});

it('ends a prompt that is cancelled before the harness runs, and never sends it', async () => {
  const all = stubSessions();
  const gate = Promise.withResolvers<void>();
  all.harnesses.gate = gate.promise;
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  all.sessions.start(key, { ...start, ...versioned('d-1') });

  expect(all.sessions.cancel(key).status).toBe('cancelled');
  expect(receiptOf(all, 'd-1')).toMatchObject({ state: 'completed', errorCode: 'never_invoked' });
  gate.resolve();
  await until(all, 'ready');
  expect(all.harnesses.last.turns).toHaveLength(0);
});

it('fails the session when a prompt exceeds its timeout', async () => {
  const { all, harness } = await prompting({ promptTimeoutMs: 20 });
  harness.say('still at it');
  await until(all, 'error');

  expect(ends(all)).toEqual(['fatal_error']);
  expect(all.records.find(key)?.errorMessage).toBe('The prompt exceeded its timeout');
  expect(harness.isGone).toBe(true);
  const statuses = all.reported.of('hostStatus').map(([, status]) => status);
  expect(statuses.slice(statuses.indexOf('prompting'))).toEqual(['prompting', 'error', 'error']);
});

it('ends the prompt with the session, and starts nothing afterwards', async () => {
  const { all, harness } = await prompting();
  harness.say('I begin');
  const stopped = await all.sessions.stop(key);

  expect(stopped).toMatchObject({ status: 'stopped', hostStatus: 'stopped' });
  expect(ends(all)).toEqual(['cancelled']);
  expect(stateOf(all, 'd-1')).toBe('completed');
  expect(harness.isGone).toBe(true);
  expect(all.harnesses.started).toHaveLength(1);
  expect(all.reported.of('closeViewers')).toEqual([['closeViewers', 1001, 'session stopped']]);
  expect(await all.sessions.stop(key)).toEqual(stopped);
});

it('replaces the MCP servers when the same request creates a session again', () => {
  const all = stubSessions();
  const servers = (token: string) => [{ url: 'https://mcp.example/x', token }];
  const create = (token: string, idempotencyKey: string) =>
    all.sessions.create(workspaceId, { sessionId: 'one', mcpServers: servers(token) }, idempotencyKey);
  const first = create('first', 'k-1');

  expect(create('second', 'k-1')).toMatchObject({ id: first.id, status: 'running' });
  expect(() => create('third', 'k-2')).toThrow('exists');

  expect(all.records.find(key)?.mcpServers).toEqual(servers('second'));
});

it('loads the ACP session again after a suspension, and refuses prompts during it', async () => {
  const { all, harness } = await prompting();
  harness.turns[0]?.end();
  await until(all, 'ready');
  expect(await all.sessions.suspend(key)).toMatchObject({ status: 'suspended', hostStatus: 'idle' });
  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') }).status).toBe(409);
  expect(await all.sessions.resume(key)).toMatchObject({ status: 'running', hostStatus: 'idle' });

  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') })).toMatchObject({
    status: 409,
    body: { status: 'not_ready' },
  });
  await until(all, 'ready');
  expect(all.harnesses.last.request.session).toEqual({ mode: 'load', acpSessionId: 'acp-1' });
  expect(all.sessions.prompt(key, { prompt: 'x', ...versioned('d-2') }).status).toBe(202);
  await harnessWithTurn(all, 1);
});

it('leaves the prompt in flight at a shutdown, and the next run marks it ambiguous', async () => {
  const { all } = await prompting();
  await all.sessions[Symbol.asyncDispose]();
  expect(ends(all)).toEqual([]);
  all.database.close();

  const next = stubSessions({}, all.path);
  expect(stateOf(next, 'd-1')).toBe('ambiguous');
  expect(next.sessions.list(workspaceId)).toMatchObject([{ status: 'running', hostStatus: 'idle' }]);
  expect(next.sessions.start(key, { ...start, ...versioned('d-1') })).toMatchObject({
    status: 200,
    body: { receipt: { state: 'ambiguous', runtimeIdentity: all.records.runtimeIdentity } },
  });
  expect(next.harnesses.requests).toHaveLength(0);
});

it('never starts a second harness while the first is still running', async () => {
  const { all, harness } = await prompting();
  harness.endsWhenStopped = false;
  harness.onCancel = () => undefined;
  all.sessions.cancel(key);
  await until(all, 'error');

  expect(all.harnesses.requests).toHaveLength(1);
  expect(all.records.find(key)?.errorMessage).toBe(
    'The coding agent process is still running after SIGKILL. Stop and start the workspace.',
  );
});

it('opens a new ACP session for another agent type', async () => {
  const { all, harness } = await prompting();
  harness.turns[0]?.end();
  await until(all, 'ready');

  expect(all.sessions.start(key, { ...start, agentType: 'opencode' }).status).toBe(202);
  await vi.waitFor(() => expect(all.harnesses.last.request.agentType).toBe('opencode'), soon);
  await harnessWithTurn(all);
  expect(harness.isGone).toBe(true);
  expect(all.harnesses.last.request.session).toEqual({ mode: 'new' });
});

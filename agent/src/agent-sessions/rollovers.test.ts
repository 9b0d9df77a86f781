import { expect, it, vi } from 'vitest';
import type { StubHarness } from '../../../test/support/stub-harness.js';
import { type StubSessions, stubSessions, workspaceId } from '../../../test/support/stub-sessions.js';
import { HarnessError } from '../harness/harness.js';

const key = { workspaceId, sessionId: 'one' };
const operation = { protocolVersion: 1, operationId: 'op-1' };
const soon = { timeout: 5_000, interval: 2 };

async function prompting() {
  const all = stubSessions();
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  const initialPrompt = 'begin';
  const versioned = { protocolVersion: 1, deliveryId: 'd-1' };
  all.sessions.start(key, { agentType: 'claude-code', initialPrompt, ...versioned });
  await vi.waitFor(() => expect(all.harnesses.last.turns).toHaveLength(1), soon);
  return { all, harness: all.harnesses.last };
}

function submit(all: StubSessions, more: object = {}) {
  return all.rollovers.submit(all.sessions.session(key), { ...operation, ...more });
}

async function outcome(all: StubSessions) {
  const find = () => all.rollovers.find({ ...key, operationId: 'op-1' });
  await vi.waitFor(() => expect(find().state).not.toBe('in_progress'), soon);
  return find();
}

const ends = (all: StubSessions) => all.reported.of('promptEnded').map(([, stopReason]) => stopReason);
const hostStatus = (all: StubSessions) => all.sessions.list(workspaceId)[0]?.hostStatus;

it('preempts the prompt and continues in the same ACP session', async () => {
  const { all, harness } = await prompting();
  harness.say('half');
  expect(submit(all)).toMatchObject({ status: 202, operation: { state: 'in_progress', forced: false } });

  expect(await outcome(all)).toMatchObject({
    state: 'completed',
    forced: false,
    acpSessionId: 'acp-1',
    errorCode: null,
  });
  expect(harness.calls).toContain('cancel');
  expect(harness.isGone).toBe(true);
  expect(all.harnesses.last.request.session).toEqual({ mode: 'load', acpSessionId: 'acp-1' });
  expect(ends(all)).toEqual(['checkpoint_preempted']);
  expect(hostStatus(all)).toBe('ready');
  expect(all.records.findReceipt({ ...key, deliveryId: 'd-1' })?.stopReason).toBe('checkpoint_preempted');
});

it.each([
  [0, []],
  [undefined, ['cancel', 'close']],
])('stops the process after the grace period of %s', async (graceMs, calls) => {
  const { all, harness } = await prompting();
  harness.onCancel = () => undefined;
  submit(all, graceMs === undefined ? {} : { graceMs });

  expect(await outcome(all)).toMatchObject({ state: 'completed', forced: true });
  expect(harness.calls.slice(0, calls.length + 1)).toEqual([...calls, 'stop']);
});

it('sends no session/close to a harness that does not announce it', async () => {
  const { all, harness } = await prompting();
  harness.canClose = false;
  harness.onCancel = () => undefined;
  submit(all);

  expect(await outcome(all)).toMatchObject({ state: 'completed', forced: true });
  expect(harness.calls).toEqual(['cancel', 'stop']);
});

it('is superseded by a prompt that ends on its own', async () => {
  const { all, harness } = await prompting();
  harness.onCancel = (turn) => turn.end('end_turn');
  submit(all);

  expect(await outcome(all)).toMatchObject({ state: 'superseded', errorCode: null });
  expect(ends(all)).toEqual(['end_turn']);
  await vi.waitFor(() => expect(hostStatus(all)).toBe('ready'), soon);
  expect(all.harnesses.started).toHaveLength(1);
});

it('restarts a harness whose session was closed before the prompt ended', async () => {
  const { all, harness } = await prompting();
  harness.onCancel = () => undefined;
  submit(all, { graceMs: 100 });
  await vi.waitFor(() => expect(harness.calls).toContain('close'), soon);
  harness.turns[0]?.end();

  expect(await outcome(all)).toMatchObject({ state: 'superseded' });
  expect(ends(all)).toEqual(['end_turn']);
  await vi.waitFor(() => expect(all.harnesses.started).toHaveLength(2), soon);
  await vi.waitFor(() => expect(hostStatus(all)).toBe('ready'), soon);
});

function harnessIgnores(harness: StubHarness) {
  harness.onCancel = () => undefined;
}

it.each(['before the harness was stopped', 'while it is started again'])(
  'is superseded by somebody who cancels %s',
  async (when) => {
    const { all, harness } = await prompting();
    harnessIgnores(harness);
    const gate = Promise.withResolvers<void>();
    all.harnesses.gate = gate.promise;
    submit(all);
    if (when === 'while it is started again')
      await vi.waitFor(() => expect(all.harnesses.requests).toHaveLength(2), soon);
    expect(all.sessions.cancel(key).status).toBe('cancelled');
    gate.resolve();

    expect(await outcome(all)).toMatchObject({ state: 'superseded' });
    expect(ends(all)).toEqual(['cancelled']);
    await vi.waitFor(() => expect(hostStatus(all)).toBe('ready'), soon);
  },
);

it('fails the session when its ACP session cannot be loaded, and opens no new one', async () => {
  const { all } = await prompting();
  all.harnesses.failures.push(new HarnessError('not_loaded', 'no such session'));
  submit(all);

  expect(await outcome(all)).toMatchObject({ state: 'failed', errorCode: 'strict_resume_failed' });
  expect(ends(all)).toEqual(['fatal_error']);
  expect(hostStatus(all)).toBe('error');
  expect(all.harnesses.requests.filter(({ session }) => session.mode === 'new')).toHaveLength(1);
});

it('fails when the harness loads another session', async () => {
  const { all } = await prompting();
  all.harnesses.nextId = 'acp-other';
  submit(all);

  expect(await outcome(all)).toMatchObject({ state: 'failed', errorCode: 'session_identity_mismatch' });
  expect(all.harnesses.last.isGone).toBe(true);
});

it('fails when the process does not end', async () => {
  const { all, harness } = await prompting();
  harnessIgnores(harness);
  harness.endsWhenStopped = false;
  submit(all);

  expect(await outcome(all)).toMatchObject({
    state: 'failed',
    errorCode: 'process_stop_failed',
    forced: true,
  });
});

it('fails when the session is stopped during the rollover', async () => {
  const { all } = await prompting();
  all.harnesses.gate = new Promise(() => undefined);
  submit(all);
  await vi.waitFor(() => expect(all.harnesses.requests).toHaveLength(2), soon);
  await all.sessions.stop(key);

  expect(await outcome(all)).toMatchObject({ state: 'failed', errorCode: 'rollover_cancelled' });
});

it('refuses a rollover without a prompt in flight, without a harness that loads, or beside another', async () => {
  const { all, harness } = await prompting();
  harness.canLoad = false;
  expect(submit(all).operation).toMatchObject({ state: 'failed', errorCode: 'rollover_failed' });
  harness.canLoad = true;
  harnessIgnores(harness);
  submit(all, { operationId: 'op-2', graceMs: 100 });
  expect(submit(all, { operationId: 'op-3' }).operation).toMatchObject({ errorCode: 'rollover_failed' });
  harness.turns[0]?.end();
  await vi.waitFor(() => expect(hostStatus(all)).toBe('ready'), soon);

  expect(submit(all, { operationId: 'op-4' }).operation).toMatchObject({ errorCode: 'rollover_failed' });
});

it('returns the operation to a repeat, and refuses another request with its id', async () => {
  const { all } = await prompting();
  submit(all, { graceMs: 20 });
  const done = await outcome(all);

  expect(submit(all)).toEqual({ status: 200, operation: done });
  expect(() => submit(all, { graceMs: 21 })).toThrow(
    expect.objectContaining({ code: 'operation_id_conflict', extra: { operationId: 'op-1' } }),
  );
});

it.each([
  [{ graceMs: 101 }, 'invalid_request'],
  [{ protocolVersion: 2 }, 'unsupported_protocol_version'],
])('refuses %j without writing', async (wrong, code) => {
  const { all } = await prompting();

  expect(() => submit(all, wrong)).toThrow(expect.objectContaining({ code }));
  expect(() => all.rollovers.find({ ...key, operationId: 'op-1' })).toThrow('Rollover not found');
});

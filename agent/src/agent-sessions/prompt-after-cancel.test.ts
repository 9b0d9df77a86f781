import { expect, it, vi } from 'vitest';
import { type StubSessions, stubSessions, workspaceId } from '../../../test/support/stub-sessions.js';
import { HarnessError } from '../harness/harness.js';

const key = { workspaceId, sessionId: 'one' };
const start = { agentType: 'opencode' as const, initialPrompt: 'begin', protocolVersion: 1 as const };
const soon = { timeout: 5_000, interval: 2 };

const turnsOf = (all: StubSessions) => all.harnesses.last.turns.map(({ text }) => text);
const statusOf = (all: StubSessions) => all.sessions.list(workspaceId)[0]?.hostStatus;
const until = (all: StubSessions, status: string) =>
  vi.waitFor(() => expect(statusOf(all)).toBe(status), soon);

/** A session whose harness knows no cancel, and starts again when the gate opens. */
async function cancelled({ endsWhenStopped = true } = {}) {
  const all = stubSessions();
  all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  all.sessions.start(key, { ...start, deliveryId: 'd-1' });
  await vi.waitFor(() => expect(turnsOf(all)).toEqual(['begin']), soon);
  const { last: first } = all.harnesses;
  Object.assign(first, { canCancel: false, endsWhenStopped });
  const gate = Promise.withResolvers<void>();
  all.harnesses.gate = gate.promise;
  const { controls } = await all.sessions.attach({ ...key, worktree: null, idempotencyKey: null });
  expect(await controls.cancel()).toBe(true);
  return { all, first, controls, openGate: () => gate.resolve() };
}

it('runs a prompt of a viewer that is sent while the cancelled turn ends', async () => {
  const { all, first, controls, openGate } = await cancelled({ endsWhenStopped: false });
  expect(statusOf(all)).toBe('prompting');
  const prompt = controls.prompt('go on', null);
  first.die({ isIntended: true });
  openGate();
  await vi.waitFor(() => expect(turnsOf(all)).toEqual(['go on']), soon);
  all.harnesses.last.turns[0]?.end();

  expect(await prompt).toMatchObject({ stopReason: 'end_turn' });
  expect(all.harnesses.last.request.session).toEqual({ mode: 'load', acpSessionId: 'acp-1' });
});

it('runs a prompt of a viewer that is sent while the harness restarts, and refuses a second', async () => {
  const { all, controls, openGate } = await cancelled();
  await until(all, 'recovering');
  const prompt = controls.prompt('go on', null);
  await vi.waitFor(() => expect(all.reported.of('promptStarted')).toHaveLength(2), soon);

  await expect(controls.prompt('and this', null)).rejects.toMatchObject({ code: 'session_busy' });
  openGate();
  await vi.waitFor(() => expect(turnsOf(all)).toEqual(['go on']), soon);
  all.harnesses.last.turns[0]?.end();
  expect(await prompt).toMatchObject({ stopReason: 'end_turn' });
  await until(all, 'ready');
});

it.each([
  ['while the cancelled turn ends', { endsWhenStopped: false }],
  ['while the harness restarts', {}],
])('a second cancel ends the prompt that waits %s', async (_, manners) => {
  const { all, first, controls, openGate } = await cancelled(manners);
  if (first.isGone) await until(all, 'recovering');
  const prompt = controls.prompt('go on', null);
  await controls.cancel();
  expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
  if (!first.isGone) first.die({ isIntended: true });
  openGate();
  await until(all, 'ready');

  expect(turnsOf(all)).toEqual([]);
});

it('ends the prompt that waits with the reason for which the harness does not start', async () => {
  const { all, controls, openGate } = await cancelled();
  await until(all, 'recovering');
  all.harnesses.failures.push(new HarnessError('not_startable', 'no credential'));
  const prompt = controls.prompt('go on', null);
  openGate();

  expect(await prompt).toMatchObject({ stopReason: 'fatal_error', errorMessage: 'no credential' });
  expect(statusOf(all)).toBe('error');
  expect(all.reported.of('notice')).toEqual([]);
});

it('refuses the prompt that waits when the session is stopped', async () => {
  const { all, controls } = await cancelled({ endsWhenStopped: false });
  const prompt = controls.prompt('go on', null);
  const refused = expect(prompt).rejects.toMatchObject({ code: 'session_busy' });
  await all.sessions.stop(key);

  await refused;
});

it('leaves the receipt of a refused prompt accepted over a restart of the node agent', async () => {
  const { all } = await cancelled();
  await until(all, 'recovering');
  const refused = all.sessions.prompt(key, { prompt: 'go on', protocolVersion: 1, deliveryId: 'd-2' });
  expect(refused).toMatchObject({ status: 409, body: { receipt: { state: 'accepted' } } });
  await all.sessions[Symbol.asyncDispose]();
  all.database.close();

  const next = stubSessions({}, all.path);
  expect(next.records.findReceipt({ ...key, deliveryId: 'd-2' })?.state).toBe('accepted');
});

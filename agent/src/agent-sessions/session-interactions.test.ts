import { expect, it, vi } from 'vitest';
import { interactionSettings } from '../../../test/support/interaction-settings.js';
import { stubSessions, workspaceId } from '../../../test/support/stub-sessions.js';

const key = { workspaceId, sessionId: 'one' };
const soon = { timeout: 5_000, interval: 2 };
const permission = {
  sessionId: 'acp-1',
  toolCall: { toolCallId: 'call-1', title: 'Run the tests' },
  options: [
    { optionId: 'once', name: 'Allow', kind: 'allow_once' as const },
    { optionId: 'no', name: 'Deny', kind: 'reject_once' as const },
  ],
};
const cancelled = { outcome: { outcome: 'cancelled' } };
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

/** A session whose harness has a prompt, and requests a permission. */
async function asking(start: object = {}) {
  const all = stubSessions();
  const session = { sessionId: 'one', projectId: 'project', acpInteractions: interactionSettings };
  all.sessions.create(workspaceId, session, null);
  all.sessions.start(key, { agentType: 'claude-code', initialPrompt: 'begin', ...start });
  await vi.waitFor(() => expect(all.harnesses.last.turns).toHaveLength(1), soon);
  const harness = all.harnesses.last;
  const answer = harness.requests.onPermission(permission, new AbortController().signal, null);
  await vi.waitFor(() => expect(all.reported.of('interaction_pending')).toHaveLength(1), soon);
  const create = all.reports.opened[0]?.create;
  if (!create) throw new Error('The control plane got no request');
  return { all, harness, answer, create };
}

it('gives the answer of the control plane to the harness, once', async () => {
  const { all, answer, create } = await asking();
  const { interactionId, generation, runtimeIdentity, protocolVersion } = create;
  const decision = { kind: 'selected_option', optionId: 'once', answerHash: '0'.repeat(64) } as const;
  const body = { protocolVersion, interactionId, generation, runtimeIdentity, decision };

  expect(create).toMatchObject({
    agentSessionId: 'one',
    kind: 'permission',
    detail: { permissionName: 'Run the tests' },
    safeSummary: { toolCallId: 'call-1', optionCount: 2 },
  });
  expect(all.answers.deliver(key, body)).toEqual({
    status: 'consumed',
    interactionId,
    generation,
    runtimeIdentity,
  });
  expect(await answer).toEqual(selected('once'));
  expect(all.answers.deliver(key, body).status).toBe('duplicate');
  await all.sessions.suspend(key);
  expect(all.answers.deliver(key, body).status).toBe('no_waiter');
  expect(all.answers.deliver(key, { ...body, runtimeIdentity: 'run-0' }).status).toBe('stale_generation');
});

it.each<[string, (all: Awaited<ReturnType<typeof asking>>) => unknown, string]>([
  ['cancel', ({ all }) => all.sessions.cancel(key), 'wrapper_cancelled'],
  ['stop', ({ all }) => all.sessions.stop(key), 'session_stopped'],
  ['suspend', ({ all }) => all.sessions.suspend(key), 'session_stopped'],
  ['sleep of the workspace', ({ all }) => all.sessions.suspendWorkspace(workspaceId), 'session_stopped'],
  ['crash of the harness', ({ harness }) => harness.die(), 'connection_closed'],
  ['end of the node agent', ({ all }) => all.sessions[Symbol.asyncDispose](), 'connection_closed'],
  [
    'rollover',
    ({ all }) => {
      const session = all.sessions.session(key);
      return all.rollovers.submit(session, { protocolVersion: 1, operationId: 'op', graceMs: 20 });
    },
    'connection_replaced',
  ],
])('settles what waits at a %s, with the reason', async (_, act, reason) => {
  const asked = await asking();

  await act(asked);

  expect(await asked.answer).toEqual(cancelled);
  expect(asked.all.reports.calls).toEqual([`end ${reason}`]);
  expect(asked.all.reported.of('interaction_settled')).toMatchObject([
    ['interaction_settled', { state: 'cancelled', by: null, reason }],
  ]);
});

it('declares forms and links only in a conversation', async () => {
  const { all, answer } = await asking({ taskMode: 'task' });
  expect(all.harnesses.requests[0]?.elicitation).toEqual({ form: false, url: false });
  await all.sessions.stop(key);
  await answer;

  const other = await asking();
  expect(other.all.harnesses.requests[0]?.elicitation).toEqual({ form: true, url: true });
});

it('gives the values of a form to the harness, and shows no form that breaks the rules', async () => {
  const { all, harness } = await asking();
  const { signal } = new AbortController();
  const form = (requestedSchema: object) =>
    harness.requests.onElicitation(
      { mode: 'form', sessionId: 'acp-1', message: 'Which?', requestedSchema },
      signal,
    );
  const color = { type: 'string', title: null, oneOf: [{ const: 'red', title: 'Red', _meta: { a: 1 } }] };

  expect(await form({ type: 'object', properties: { color: { type: 'object' } } })).toEqual({
    action: 'cancel',
  });
  const answer = form({ type: 'object', properties: { color } });
  await vi.waitFor(() => expect(all.reports.opened).toHaveLength(2), soon);
  const { interactionId = '' } = all.reports.opened[1]?.waiter ?? {};
  const interactions = all.hosts.find(key)?.interactions;
  const decision = { kind: 'accepted', content: { color: 'red' } } as const;
  expect(interactions?.answer({ interactionId, answer: decision, by: 'viewer' })).toBe('consumed');

  expect(await answer).toEqual({ action: 'accept', content: { color: 'red' } });
});

it.each([
  ['http://localhost:9000/callback', 'unsupported_loopback_auth'],
  ['https://192.168.0.1/', 'link_refused'],
])('cancels the link %s and states it', async (url, code) => {
  const { all, harness } = await asking();
  const link = { mode: 'url', sessionId: 'acp-1', message: 'Open', url, elicitationId: 'link' } as const;

  const answer = await harness.requests.onElicitation(link, new AbortController().signal);

  expect(answer).toEqual({ action: 'cancel' });
  expect(all.reported.of('notice')).toMatchObject([['notice', code, expect.any(String)]]);
});

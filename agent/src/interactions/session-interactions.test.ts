import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { interactionSettings } from '../../../test/support/interaction-settings.js';
import { RecordedReports } from '../../../test/support/recorded-reports.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { Notice } from '../conversation/notice.js';
import type { Question } from './question.js';
import { SessionInteractions } from './session-interactions.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const runtimeIdentity = 'run-1';
const permission: Question = {
  kind: 'permission',
  detail: { permissionName: 'rm -r', options: [{ id: 'once', kind: 'allow_once', name: 'Allow' }] },
  safeSummary: { optionCount: 1 },
};
const form: Question = {
  kind: 'form',
  detail: {
    message: 'Which?',
    schema: { type: 'object', properties: { color: { type: 'string', enum: ['red'] } }, required: ['color'] },
  },
  safeSummary: {},
};
const link: Question = {
  kind: 'url',
  detail: { message: 'Sign in', url: 'https://example.com/in', elicitationId: 'link-1' },
  safeSummary: {},
};
const once = { kind: 'selected_option', optionId: 'once' } as const;
const signal = new AbortController().signal;

function session(overrides: Partial<SessionRecord> = {}) {
  const frames: { readonly type: string }[] = [];
  const notices: Notice[] = [];
  const reports = new RecordedReports();
  const record = {
    workspaceId: 'w',
    sessionId: 's',
    projectId: 'p',
    taskMode: null,
    interactions: interactionSettings,
    ...overrides,
  } as SessionRecord;
  const interactions = new SessionInteractions({
    runtimeIdentity,
    record: () => record,
    sink: { interaction: (frame) => frames.push(frame), notice: (notice) => notices.push(notice) },
    reports,
    now: Date.now,
  });
  const ask = (question: Question, aborted = signal, endsAt: number | null = null) => {
    const outcome = interactions.ask(question, aborted, endsAt);
    const frame = interactions.frames.at(-1);
    const id = frame && 'interactionId' in frame ? frame.interactionId : '';
    return { outcome, id, frame };
  };
  return { interactions, ask, frames, notices, reports };
}

it('gives the first answer to the harness, and refuses the second', async () => {
  const { interactions, ask, frames, reports } = session();
  const { outcome, id } = ask(permission);
  const from = interactions.waiter;

  expect(interactions.answer({ interactionId: id, answer: once, by: 'viewer' })).toBe('consumed');
  const late = { interactionId: id, by: 'control_plane', from } as const;
  expect(interactions.answer({ ...late, answer: once })).toBe('duplicate');
  expect(interactions.answer({ ...late, answer: { kind: 'declined' } })).toBe('conflict');

  expect(await outcome).toEqual({ kind: 'answered', answer: once, by: 'viewer' });
  expect(frames.at(-1)).toEqual({
    type: 'interaction_settled',
    interactionId: id,
    state: 'answered',
    by: 'viewer',
    reason: null,
  });
  expect(reports.calls).toEqual(['end completed']);
});

it('does not report an answer of the control plane back to it', async () => {
  const { interactions, ask, reports } = session();
  const { outcome, id } = ask(permission);
  const from = interactions.waiter;

  expect(interactions.answer({ interactionId: id, answer: once, by: 'control_plane', from })).toBe(
    'consumed',
  );
  expect(await outcome).toMatchObject({ by: 'control_plane' });
  expect(reports.calls).toEqual(['end null']);
});

it.each([
  [permission, { kind: 'selected_option', optionId: 'always' }],
  [permission, { kind: 'accepted' }],
  [form, { kind: 'accepted', content: { color: 'blue' } }],
  [form, { kind: 'accepted' }],
  [form, once],
  [link, { kind: 'accepted', content: { a: 'b' } }],
] as const)('keeps %j waiting after an answer that it does not offer', (question, answer) => {
  const { interactions, ask } = session();
  const { id } = ask(question);

  expect(interactions.answer({ interactionId: id, answer, by: 'viewer' })).toBe('conflict');
  expect(interactions.isPending(id)).toBe(true);
});

it('refuses answers to another run, to another connection and to nothing', () => {
  const { interactions, ask } = session();
  const { id } = ask(permission);
  const from = interactions.waiter;
  const given = { interactionId: id, answer: once, by: 'control_plane' } as const;

  expect(interactions.answer({ ...given, from: { ...from, runtimeIdentity: 'run-0' } })).toBe(
    'stale_generation',
  );
  expect(interactions.answer({ ...given, interactionId: 'unknown', from })).toBe('no_waiter');
  interactions.renew();
  expect(interactions.answer({ ...given, from })).toBe('stale_generation');
});

it('ends at its deadline, with words that do not repeat the request', async () => {
  const { ask, notices, frames, reports } = session();
  const { outcome } = ask(permission);

  await vi.advanceTimersByTimeAsync(interactionSettings.permissionDeadlineMs);

  expect(await outcome).toEqual({ kind: 'ended', reason: 'expired' });
  expect(frames.at(-1)).toMatchObject({ state: 'expired', by: null, reason: 'expired' });
  expect(notices).toMatchObject([
    { code: 'interaction_expired', text: expect.stringMatching(/within 2 min, so it was refused/) },
  ]);
  expect(JSON.stringify(notices)).not.toContain('rm -r');
  expect(reports.calls).toEqual(['end expired']);
});

it('takes an earlier deadline of the control plane, and no later one', async () => {
  const { ask, reports } = session();
  const { outcome } = ask(permission);
  const now = Date.now();

  reports.opened[0]?.onDeadline(now + 10_000_000);
  reports.opened[0]?.onDeadline(now + 50);
  await vi.advanceTimersByTimeAsync(50);

  expect(await outcome).toEqual({ kind: 'ended', reason: 'expired' });
});

it.each([
  [{ interactions: null }, null, 120],
  [{ interactions: null, taskMode: 'task' }, null, 30],
  [{ interactions: { ...interactionSettings, enabled: false }, taskMode: 'task' }, null, 30],
  [{}, null, 2],
  [{ interactions: null }, 10, 9],
] as const)('waits, with %j and a prompt that ends in %s min, for %d min', (record, prompt, minutes) => {
  const { ask } = session(record);
  const { frame } = ask(permission, signal, prompt === null ? null : Date.now() + prompt * 60_000);

  expect(frame).toMatchObject({ deadlineAt: Date.now() + minutes * 60_000 });
});

it.each([
  ['connection_closed', 'connection_closed'],
  [undefined, 'wrapper_cancelled'],
])('ends when the harness withdraws it (%s)', async (reason, expected) => {
  const { ask, reports } = session();
  const withdrawn = new AbortController();
  const { outcome } = ask(permission, withdrawn.signal);

  withdrawn.abort(reason);

  expect(await outcome).toEqual({ kind: 'ended', reason: expected });
  expect(reports.calls).toEqual([`end ${expected}`]);
});

it('settles all that waits once, and lets at most eight wait', async () => {
  const { interactions, ask, reports } = session();
  const outcomes = Array.from({ length: 8 }, () => ask(permission).outcome);

  expect(await ask(permission).outcome).toEqual({ kind: 'ended', reason: 'too_many' });
  interactions.settleAll('session_stopped');
  interactions.settleAll('connection_closed');

  for (const outcome of outcomes) expect(await outcome).toEqual({ kind: 'ended', reason: 'session_stopped' });
  expect(reports.calls).toEqual(Array(8).fill('end session_stopped'));
});

it('shows a request only to viewers where the control plane takes none, and states a refusal once', async () => {
  const alone = session({ interactions: null });
  const { outcome, id } = alone.ask(permission);
  alone.interactions.answer({ interactionId: id, answer: once, by: 'viewer' });
  expect(await outcome).toMatchObject({ kind: 'answered' });
  expect(alone.reports.opened).toEqual([]);

  const refused = session();
  for (let index = 0; index < 2; index += 1) {
    refused.ask(permission);
    refused.reports.opened[index]?.onRefused('Not here');
  }
  expect(refused.notices).toMatchObject([{ code: 'interaction_unreported' }]);
  expect(refused.interactions.frames).toHaveLength(2);
});

it('reports a link as done after it was accepted, or ends it', async () => {
  const { interactions, ask, reports } = session();
  const { id } = ask(link);
  interactions.answer({ interactionId: id, answer: { kind: 'accepted' }, by: 'viewer' });
  interactions.completeUrl('link-1');
  interactions.completeUrl('link-1');
  expect(reports.calls).toEqual(['end completed', 'completeUrl link-1']);

  const { outcome } = ask(link);
  interactions.completeUrl('link-1');
  expect(await outcome).toEqual({ kind: 'ended', reason: 'completed' });
});

it('keeps the receipts of the last 256 answers', () => {
  const { interactions, ask } = session();
  const ids = Array.from({ length: 257 }, () => {
    const { id } = ask(permission);
    interactions.answer({ interactionId: id, answer: once, by: 'viewer' });
    return id;
  });
  const again = (id = '') => interactions.answer({ interactionId: id, answer: once, by: 'viewer' });

  expect(again(ids[0])).toBe('no_waiter');
  expect(again(ids[1])).toBe('duplicate');
  expect(again(ids[256])).toBe('duplicate');
});

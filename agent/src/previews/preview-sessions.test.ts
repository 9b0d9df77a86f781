import { expect, it } from 'vitest';
import { PreviewSessions } from './preview-sessions.js';

const workspaceId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const here = { workspaceId, port: 5173, isOwnHost: false };
const session = { ...here, generation: 1, userId: 'u', sessionHash: 's' };

function sessions(limit = 100) {
  const listening: { end: (hash: string) => void } = { end: () => undefined };
  const state = { now: 0, ended: new Set<string>(), end: (hash: string) => listening.end(hash) };
  const ends = {
    onEnd: (listener: (hash: string) => void) => {
      listening.end = listener;
      return () => undefined;
    },
    hasEnded: (hash: string) => state.ended.has(hash),
  };
  return { state, kept: new PreviewSessions({ lifetimeMs: 10_000, limit }, ends, () => state.now) };
}

const pair = (cookie: string | null) => cookie?.split(';')[0] ?? '';

it('finds the session of a cookie at its workspace only', () => {
  const { kept } = sessions();
  const cookie = pair(kept.open(session));
  const elsewhere = { ...here, workspaceId: '01ARZ3NDEKTSV4RRFFQ69G5FAW' };

  expect(kept.of(`a=1; ${cookie}; b`, here)).toMatchObject(session);
  expect(kept.of(cookie, elsewhere)).toBe(null);
  expect(kept.of(cookie.replace(workspaceId, elsewhere.workspaceId), elsewhere)).toBe(null);
  expect(kept.of(undefined, here)).toBe(null);
  expect(kept.of(`__Host-vm_session_${workspaceId}_5173=guessed`, here)).toBe(null);
});

it('returns the same cookie while half of its lifetime is left, then a new one', () => {
  const { kept, state } = sessions();
  const first = pair(kept.open(session));
  state.now = 5_000;
  expect(pair(kept.open(session))).toBe(first);
  expect(pair(kept.open({ ...session, generation: 2 }))).not.toBe(first);
  expect(pair(kept.open({ ...session, sessionHash: 'other' }))).not.toBe(first);

  state.now = 5_001;
  const second = pair(kept.open(session));
  expect(second).not.toBe(first);
  expect(kept.of(first, here)).not.toBe(null);

  state.now = 10_000;
  expect(kept.of(first, here)).toBe(null);
  expect(kept.of(second, here)).not.toBe(null);
});

it('keeps the newest sessions up to the limit', () => {
  const { kept } = sessions(2);
  const cookies = ['a', 'b', 'c'].map((userId) => pair(kept.open({ ...session, userId })));

  expect(cookies.map((cookie) => kept.of(cookie, here)?.userId)).toEqual([undefined, 'b', 'c']);
});

it('ends with the sign-in session, and does not open after its end', () => {
  const { kept, state } = sessions();
  const cookie = pair(kept.open(session));
  const other = pair(kept.open({ ...session, sessionHash: 'other' }));

  state.ended.add('s');
  state.end('s');

  expect(kept.of(cookie, here)).toBe(null);
  expect(kept.of(other, here)).not.toBe(null);
  expect(kept.open(session)).toBe(null);
});

it.each([
  ['another port', { ...here, port: 3000 }],
  ['its own host', { ...here, isOwnHost: true }],
])('does not find the session of a port at %s', (_, elsewhere) => {
  const { kept } = sessions();
  const cookie = pair(kept.open(session));
  const renamed = cookie.replace('_5173=', `_${elsewhere.port}=`);

  expect(kept.of(renamed, elsewhere)).toBe(null);
  expect(kept.of(cookie, here)).toMatchObject(session);
});

import { expect, it } from 'vitest';
import type { Workspace } from '../records.js';
import { sleepNotice } from './sleep-notice.js';

const at = '2026-11-23T10:00:00.000Z';
const workspace = (overrides: Partial<Workspace>) => ({ status: 'running', ...overrides }) as Workspace;
const wake = { claimedAt: at, attempt: 1, phase: 'placing' } as const;

it.each([
  ['runs', {}, null],
  ['is stopped', { status: 'stopped' }, null],
  ['is captured', { sleepPhase: 'capturing' }, /^Going to sleep: saving/],
  ['is stopped for its sleep', { status: 'sleeping', sleepPhase: 'stopping' }, /^Going to sleep: stopping/],
  ['sleeps', { status: 'sleeping' }, /^Asleep\. Its files and conversations are saved\. /],
  ['sleeps until a day', { status: 'sleeping', snapshotExpiresAt: at }, /kept until .*2026/],
  [
    'could not wake',
    { status: 'sleeping', wakeFailure: { attempts: 3, failedAt: at, reason: 'No node.' } },
    /The last wake failed: No node\.$/,
  ],
  [
    'waits for a node',
    { status: 'pending', wake },
    /^Waking since .*\d\d:\d\d: looking for a place on a node\.$/,
  ],
  [
    'is restored again',
    { wake: { ...wake, phase: 'restoring', attempt: 2 } },
    /restoring files and conversations\. Attempt 2\.$/,
  ],
] as const)('a workspace that %s', (_, overrides, text) => {
  const notice = sleepNotice(workspace(overrides));
  if (text === null) expect(notice).toBeNull();
  else expect(notice).toMatch(text);
});

import { describe, expect, it } from 'vitest';
import type { LiveServerMessage } from '../../protocol/live.js';
import type { Workspace } from './records.js';
import { nothingKnown, withBootLog, withMessage, withWorkspace } from './workspace-state.js';

const workspaceId = '01JZ0000000000000000000000';
const topic = `workspace:${workspaceId}`;
const workspace = (overrides: Partial<Workspace> = {}): Workspace => ({
  id: workspaceId,
  displayName: 'hello',
  repository: 'octo/hello',
  branch: 'main',
  status: 'provisioning',
  version: 3,
  generation: 1,
  nodeId: null,
  errorMessage: null,
  admissionReason: null,
  admissionQueuePosition: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  ...overrides,
});
const entry = (step: string) =>
  ({ step, status: 'started', message: step, timestamp: '2026-11-21T10:00:00.000Z' }) as const;
const status = (version: number, to: string): LiveServerMessage => ({
  type: 'workspace.status',
  topic,
  version,
  data: { workspaceId, status: to, errorMessage: null },
});
const logged = (generation: number, entryId: string): LiveServerMessage => ({
  type: 'workspace.boot_log',
  topic,
  data: { workspaceId, entryId, generation, entry: entry(entryId) },
});

describe('what is known of a workspace', () => {
  it('has the reason of a wait only while it waits', () => {
    const known = withWorkspace(nothingKnown, workspace({ status: 'pending' }));
    const wait = { admissionReason: 'All nodes are full', admissionQueuePosition: 2 };
    const data = { workspaceId, status: 'pending', errorMessage: null, ...wait };

    const waiting = withMessage(known, { type: 'workspace.status', topic, version: 4, data });

    expect(waiting.workspace).toMatchObject(wait);
    expect(withMessage(waiting, status(5, 'provisioning')).workspace).toMatchObject({
      admissionReason: null,
      admissionQueuePosition: null,
    });
  });

  it('takes a newer status and drops an older one, whichever way they come', () => {
    const known = withWorkspace(nothingKnown, workspace());

    const ahead = withMessage(known, status(5, 'running'));

    expect(withMessage(ahead, status(4, 'provisioning'))).toBe(ahead);
    expect(withWorkspace(ahead, workspace({ version: 4 }))).toBe(ahead);
    expect(ahead.workspace).toMatchObject({ status: 'running', version: 5 });
  });

  it('takes an answer of the same version for what a message cannot carry', () => {
    const ahead = withMessage(withWorkspace(nothingKnown, workspace()), status(5, 'running'));

    const answered = withWorkspace(ahead, workspace({ version: 5, status: 'running', nodeId: 'N' }));

    expect(answered.workspace?.nodeId).toBe('N');
  });

  it('keeps each boot log entry once and in order, live or fetched', () => {
    const live = withMessage(withMessage(nothingKnown, logged(1, 'C')), logged(1, 'A'));

    const both = withBootLog(live, [
      { ...entry('A'), entryId: 'A' },
      { ...entry('B'), entryId: 'B' },
    ]);

    expect(both.bootLog.map(({ entryId }) => entryId)).toEqual(['A', 'B', 'C']);
  });

  it('begins a new boot log with a new generation and ignores the old one', () => {
    const first = withMessage(withWorkspace(nothingKnown, workspace()), logged(1, 'A'));

    const second = withMessage(first, logged(2, 'B'));

    expect(withMessage(second, logged(1, 'C')).bootLog.map(({ entryId }) => entryId)).toEqual(['B']);
  });
});

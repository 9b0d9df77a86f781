import { describe, expect, it } from 'vitest';
import { newestEvents } from './coalesce-events.js';
import { eventsOf } from './events.js';

const workspaceId = '01JD0000000000000000000000';
const at = '2026-11-21T10:00:00.000Z';
const later = '2026-11-21T10:00:05.000Z';
const row = {
  entity: 'workspace',
  workspaceId,
  userId: workspaceId,
  projectId: null,
  displayName: 'hello',
  repository: 'octo/hello',
  cloneUrl: null,
  installationId: null,
  branch: null,
  resourceRequirements: null,
  status: 'sleeping',
  generation: 1,
  version: 2,
  statusChangedAt: at,
  nodeId: null,
  nodeUrl: null,
  nodeCertificatePem: null,
  dispatchedAt: null,
  readyAt: null,
  taskToken: 'SECRET',
  errorMessage: null,
  createdAt: at,
  updatedAt: at,
};
const wake = { operationId: workspaceId, claimedAt: at, attempt: 2, phase: 'placing' };
const placing = { ...row, status: 'pending', generation: 2, version: 3, wake };
const restoring = {
  ...placing,
  ...{ status: 'running', version: 6, updatedAt: later, wake: { ...wake, phase: 'restoring' } },
};
const wakeFailure = { attempts: 2, failedAt: later, reason: 'No node could be started' };
const failed = { ...row, version: 7, updatedAt: later, wakeFailure };

const progress = (before: object, after: object) =>
  eventsOf({ ...before }, { ...after }).filter(({ type }) => type === 'session.wake_progress');

describe('the live events of a wake', () => {
  it('contain each phase once, with its time and the attempt', () => {
    const topic = `workspace:${workspaceId}`;

    expect(progress(row, placing)).toEqual([
      {
        ...{ type: 'session.wake_progress', topic, version: 3 },
        data: { workspaceId, phase: 'placing', attempt: 2, at },
      },
    ]);
    expect(progress(placing, { ...placing, status: 'provisioning', version: 4 })).toEqual([]);
    expect(progress(placing, restoring)).toMatchObject([{ data: { phase: 'restoring', at: later } }]);
  });

  it('contain a failure once, with its reason', () => {
    expect(progress(restoring, failed)).toMatchObject([
      { data: { phase: 'failed', attempt: 2, reason: 'No node could be started' } },
    ]);
    expect(progress(failed, { ...failed, version: 8 })).toEqual([]);
  });

  it('contain the next attempt after a failure', () => {
    const again = { ...placing, version: 8, wakeFailure, wake: { ...wake, attempt: 3 } };

    expect(progress(failed, again)).toMatchObject([{ data: { phase: 'placing', attempt: 3 } }]);
  });

  it('are none after the wake', () => {
    expect(progress(restoring, { ...restoring, version: 9, wake: undefined })).toEqual([]);
  });

  it('are reduced to the newest phase of a batch', () => {
    const found = [...progress(row, placing), ...progress(placing, restoring)];

    expect(newestEvents(found)).toMatchObject([{ data: { phase: 'restoring' } }]);
  });
});

import { describe, expect, it } from 'vitest';
import { newSession } from '../sessions/new-session.js';
import { sessionItem } from '../sessions/session.js';
import { endedSession, messageOf } from './messages.js';

const workspaceId = '01JD0000000000000000000000';
const at = '2026-11-21T10:00:00.000Z';
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
  status: 'provisioning',
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

describe('what subscribers are told', () => {
  it('is the state of a workspace, without its secrets', () => {
    const message = messageOf({ ...row, version: 1 }, row);

    expect(message).toMatchObject({
      type: 'workspace.status',
      topic: `workspace:${workspaceId}`,
      version: 2,
    });
    expect(JSON.stringify(message)).not.toContain('SECRET');
  });

  it('is nothing when no client would see a difference', () => {
    expect(messageOf({ ...row, bootLogEntries: 1 }, { ...row, bootLogEntries: 2 })).toBeUndefined();
    expect(messageOf(undefined, { entity: 'session' })).toBeUndefined();
    expect(messageOf(row, undefined)).toBeUndefined();
  });

  it('is an entry of the boot log, once it is there', () => {
    const entry = { step: 'git_clone', status: 'started', message: 'Cloning', timestamp: at };
    const item = { entity: 'boot-log', workspaceId, generation: 1, entryId: workspaceId, entry };

    expect(messageOf(undefined, item)).toMatchObject({ type: 'workspace.boot_log', data: { entry } });
    expect(messageOf(item, item)).toBeUndefined();
  });
});

it('knows a session that has ended', () => {
  const { session: signedIn } = newSession({ userId: workspaceId, role: 'user' }, new Date(at));
  const session = sessionItem(signedIn);

  expect(endedSession(session, undefined)).toEqual(signedIn);
  expect(endedSession(session, session)).toBeUndefined();
  expect(endedSession({ entity: 'workspace' }, undefined)).toBeUndefined();
});

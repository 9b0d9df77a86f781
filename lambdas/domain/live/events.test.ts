import { describe, expect, it } from 'vitest';
import { messageItem } from '../chats/message.js';
import { memberItem } from '../projects/member.js';
import { newPrompt, type Prompt, promptItem } from '../prompts/prompt.js';
import { newSession, sessionItem } from '../sessions/session.js';
import { endedSession, eventsOf, revokedMember } from './events.js';

const workspaceId = '01JD0000000000000000000000';
const projectId = '01JD000000000000000000000P';
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

describe('the live events of a changed item', () => {
  it('contain the state of a workspace, without secrets', () => {
    const [message] = eventsOf({ ...row, version: 1 }, row);

    expect(message).toMatchObject({
      type: 'workspace.status',
      topic: `workspace:${workspaceId}`,
      version: 2,
    });
    expect(JSON.stringify(message)).not.toContain('SECRET');
  });

  it('contain why a workspace waits for a slot', () => {
    const waiting = {
      ...row,
      status: 'pending',
      admissionReason: 'All nodes are full',
      admissionQueuePosition: 2,
    };

    expect(eventsOf({ ...row, version: 1 }, waiting)).toMatchObject([
      { data: { status: 'pending', admissionReason: 'All nodes are full', admissionQueuePosition: 2 } },
    ]);
  });

  it('are none when no visible field changed', () => {
    expect(eventsOf({ ...row, bootLogEntries: 1 }, { ...row, bootLogEntries: 2 })).toEqual([]);
    expect(eventsOf(undefined, { entity: 'session' })).toEqual([]);
    expect(eventsOf(row, undefined)).toEqual([]);
  });

  it('contain a new boot log entry once', () => {
    const entry = { step: 'git_clone', status: 'started', message: 'Cloning', timestamp: at };
    const item = { entity: 'boot-log', workspaceId, generation: 1, entryId: workspaceId, entry };

    expect(eventsOf(undefined, item)).toMatchObject([{ type: 'workspace.boot_log', data: { entry } }]);
    expect(eventsOf(item, item)).toEqual([]);
  });

  it('contain a new message once, without the output of a tool', () => {
    const message = messageItem({
      ...{ chatId: workspaceId, projectId, sequence: 7, messageId: 'm-7', role: 'tool', content: 'Read it' },
      ...{ toolMetadata: { kind: 'read', content: 'SECRET' }, origin: null, createdAt: at },
    });

    const events = eventsOf(undefined, message);

    expect(events).toMatchObject([
      {
        type: 'message.new',
        topic: `chat:${workspaceId}`,
        data: { message: { id: 'm-7', sequence: 7, content: 'Read it', toolMetadata: { kind: 'read' } } },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('SECRET');
    expect(eventsOf(message, { ...message, delivery: null })).toEqual([]);
  });

  it('contain the delivery state of a prompt, without its content', () => {
    const prompt = newPrompt(
      {
        deliveryId: workspaceId,
        chatId: workspaceId,
        projectId,
        kind: 'prompt',
        sourceKind: 'user_followup',
        senderType: 'human',
        senderId: projectId,
        messageClass: 'deliver',
        content: 'SECRET',
        promptMessageId: 'm-1',
        sequence: 1,
      },
      new Date(at),
    );
    const changed = (version: number, change: Partial<Prompt>) =>
      promptItem({ ...prompt, ...change, version });
    const delivering = changed(2, { deliveryState: 'delivering', deliveryAttempts: 1 });
    const events = eventsOf(delivering, changed(3, { deliveryState: 'failed', terminalReason: 'refused' }));

    expect(eventsOf(undefined, promptItem(prompt))).toEqual([]);
    expect(eventsOf(promptItem(prompt), delivering)).toEqual([]);
    expect(events).toMatchObject([
      { type: 'prompt.updated', data: { messageId: 'm-1', state: 'failed', reason: 'refused' } },
    ]);
    expect(JSON.stringify(events)).not.toContain('SECRET');
  });
});

it('detects a membership that ended', () => {
  const project = {
    name: 'Hello',
    description: null,
    installationId: '1',
    repository: 'octo/hello',
    defaultBranch: 'main',
    status: 'active' as const,
    createdAt: at,
    updatedAt: at,
  };
  const member = memberItem({
    projectId,
    userId: workspaceId,
    role: 'viewer',
    status: 'active',
    project,
    joinedAt: at,
  });

  expect(revokedMember(member, undefined)?.userId).toBe(workspaceId);
  expect(revokedMember(member, { ...member, status: 'removed' })?.userId).toBe(workspaceId);
  expect(revokedMember(member, { ...member, role: 'admin' })).toBeUndefined();
  expect(revokedMember({ ...member, status: 'invited' }, undefined)).toBeUndefined();
});

it('detects a session that ended', () => {
  const { session: signedIn } = newSession({ userId: workspaceId }, new Date(at));
  const session = sessionItem(signedIn);

  expect(endedSession(session, undefined)).toEqual(signedIn);
  expect(endedSession(session, session)).toBeUndefined();
  expect(endedSession({ entity: 'workspace' }, undefined)).toBeUndefined();
});

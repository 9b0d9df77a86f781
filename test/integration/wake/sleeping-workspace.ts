import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { findAgentSession } from '../../../lambdas/domain/agent-sessions/find-sessions.js';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { snapshotItem } from '../../../lambdas/domain/snapshots/snapshot.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putItem } from '../../support/project.js';
import { aWorkspace, putWorkspace } from '../../support/records.js';
import { putChat, putMembership, readChat } from '../prompts/a-chat.js';

/** A workspace that sleeps in its second generation, with its chat and a verified snapshot. */
export class SleepingWorkspace {
  private constructor(
    readonly table: Table,
    readonly workspaceId: string,
    readonly chatId: string,
    readonly agentSessionId: string,
  ) {}

  static async make(
    table: Table,
    overrides: Partial<Workspace> = {},
    chatOverrides: Partial<Chat> = {},
  ): Promise<SleepingWorkspace> {
    const [projectId, userId, agentSessionId] = [newId(), newId(), newId()];
    const { workspaceId } = await putWorkspace(
      table,
      aWorkspace({
        ...{ projectId, userId, status: 'sleeping', generation: 2, nodeId: newId() },
        agentSessions: new Set([agentSessionId]),
        ...overrides,
      }),
    );
    const ids = { projectId, userId, workspaceId, agentSessionId };
    const chat = await putChat(table, { ...ids, status: 'sleeping', isStarted: true, ...chatOverrides });
    await putMembership(table, chat);
    const at = new Date().toISOString();
    const session = agentSessionItem({
      ...ids,
      generation: 2,
      chatId: chat.chatId,
      status: 'running',
      label: null,
      agentType: 'claude-code',
      createdAt: at,
      updatedAt: at,
      stoppedAt: null,
    });
    await putItem(table, session);
    await putItem(table, aSnapshot({ ...ids, chatSessionId: chat.chatId }, at));
    return new SleepingWorkspace(table, workspaceId, chat.chatId, agentSessionId);
  }

  async row(): Promise<Workspace> {
    const found = await findWorkspace(this.table, this.workspaceId);
    if (!found) throw new Error('The workspace is gone');
    return found;
  }

  chat(): Promise<Chat> {
    return readChat(this.table, this.chatId);
  }

  session() {
    return findAgentSession(this.table, this.workspaceId, this.agentSessionId);
  }
}

interface SnapshotIds {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly chatSessionId: string;
  readonly agentSessionId: string;
}

function aSnapshot(ids: SnapshotIds, at: string) {
  const object = { key: 'snapshots/1/manifest', sizeBytes: 2, sha256: '0'.repeat(64) };
  return snapshotItem({
    ...ids,
    snapshotId: newId(),
    runtime: 'vm',
    status: 'available',
    degradation: 'none',
    objects: { manifest: object, home: null, wip: null },
    baseCommit: null,
    captureGeneration: 1,
    snapshotGeneration: 1,
    oldestGeneration: 1,
    captureError: null,
    sleepingAt: at,
    version: 1,
    createdAt: at,
    updatedAt: at,
  });
}

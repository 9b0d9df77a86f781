import {
  agentSessionChange,
  agentSessionItem,
} from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { changeChat } from '../../../lambdas/domain/chats/change-chat.js';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { markNodeReady } from '../../../lambdas/domain/nodes/node-reports.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { beginSleep } from '../../../lambdas/domain/snapshots/begin-sleep.js';
import { endSleep } from '../../../lambdas/domain/snapshots/end-sleep.js';
import { changeSnapshot } from '../../../lambdas/domain/snapshots/snapshot.js';
import { awaitRestore } from '../../../lambdas/domain/wake/await-restore.js';
import { finishWake } from '../../../lambdas/domain/wake/finish-wake.js';
import { requestWake } from '../../../lambdas/domain/wake/request-wake.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { insertWorkspace } from '../../../lambdas/domain/workspaces/insert-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { markReady } from '../../../lambdas/domain/workspaces/provisioning.js';
import { recordUse } from '../../../lambdas/domain/workspaces/record-use.js';
import { claimStop, markStopped } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putItem } from '../project.js';
import { aNewWorkspace, limits } from '../records.js';
import type { Plan } from './plans.js';

const manifest = { key: 'snapshots/1/manifest', sizeBytes: 2, sha256: '0'.repeat(64) };
const stored = { objects: { manifest, home: null, wip: null }, status: 'available' } as const;

/** One workspace of the day; what its node does is played, in no time. */
export class PlayedWorkspace {
  constructor(
    private readonly table: Table,
    readonly plan: Plan,
    /** Called with each node that is launched. */
    private readonly onLaunch: (nodeId: string) => void,
  ) {}

  async use(now: Date, { isLast }: { readonly isLast: boolean }): Promise<void> {
    const { workspaceId, kind } = this.plan;
    const found = await findWorkspace(this.table, workspaceId);
    if (!found) await this.start(now);
    else if (found.status === 'sleeping') await this.wake(now);
    else if (found.status !== 'running') throw new Error(`A used workspace is ${found.status}`);
    else if (kind === 'terminal')
      await recordUse(this.table, { nodeId: found.nodeId ?? '', workspaceIds: [workspaceId], now });
    if (kind !== 'terminal') await this.talk(now);
    if (kind === 'task' && isLast) await this.complete(now);
  }

  /** The node captured and stopped it. */
  async sleeps(claimId: string, now: Date): Promise<void> {
    const { generation } = await this.row();
    const { workspaceId } = this.plan;
    const sleep = { workspaceId, generation, claimId, now };
    await changeSnapshot(this.table, workspaceId, { set: stored, now });
    await beginSleep(this.table, { ...sleep, isFallback: true });
    await endSleep(this.table, { ...sleep, nodeConfirmed: true });
  }

  async stopped(now: Date): Promise<void> {
    const { generation } = await this.row();
    const { workspaceId } = this.plan;
    await markStopped(this.table, { workspaceId, generation }, { nodeConfirmed: true, now });
  }

  private async row(): Promise<Workspace> {
    const found = await findWorkspace(this.table, this.plan.workspaceId);
    if (!found) throw new Error('The workspace is gone');
    return found;
  }

  private async start(now: Date): Promise<void> {
    const { kind, workspaceId, owner, agentSessionId } = this.plan;
    const sessions = kind === 'terminal' ? {} : { agentSessions: new Set([agentSessionId]) };
    const { userId, projectId } = owner;
    const asked = aNewWorkspace({ userId, projectId, workspaceId, ...sessions }, now);
    await insertWorkspace(this.table, asked);
    if (kind !== 'terminal') await this.openChat(now);
    await this.run(1, now);
  }

  private async openChat(now: Date): Promise<void> {
    const { workspaceId, owner, chatId, agentSessionId } = this.plan;
    const { userId, projectId } = owner;
    const ids = { chatId, projectId, userId, workspaceId };
    const at = now.toISOString();
    const chat = newChat({ ...ids, topic: null, taskId: null }, now);
    await putItem(this.table, chatItem({ ...chat, agentSessionId }));
    await putItem(
      this.table,
      agentSessionItem({
        ...{ ...ids, agentSessionId, generation: 1, status: 'running', label: null, agentType: null },
        ...{ createdAt: at, updatedAt: at, stoppedAt: null },
      }),
    );
  }

  private async run(generation: number, now: Date): Promise<string> {
    const { workspaceId } = this.plan;
    const placement = { now, nodeIdFor: async () => newId(), limits };
    const { nodeId, launch } = await placeWorkspace(this.table, { workspaceId, generation }, placement);
    if (launch) {
      const ready = { agentVersion: '1', role: 'workspace', port: 1 } as const;
      await markNodeReady(this.table, nodeId, { ready, now });
      this.onLaunch(nodeId);
    }
    await markReady(this.table, { workspaceId, generation, nodeId }, { status: 'running', now });
    return nodeId;
  }

  private async wake(now: Date): Promise<void> {
    const { workspaceId, chatId, agentSessionId } = this.plan;
    await requestWake(this.table, { workspaceId, now, newId });
    const { generation } = await this.row();
    const nodeId = await this.run(generation, now);
    const waiting = { workspaceId, generation, taskToken: 'of-restore', now };
    const { operationId, sessions: adopted } = await awaitRestore(this.table, waiting);
    // As RestoreOnNode, which then asks the node.
    await transact(
      this.table,
      adopted.map((one) => ({ update: agentSessionChange(one, { set: { generation }, now }) })),
    );
    const sessions = [{ agentSessionId, agentType: 'claude-code', hasConversation: true }] as const;
    const restored = { chatSessionId: chatId, operationId, status: 'restored', message: null } as const;
    const result = { ...restored, missing: [], sessions: [...sessions] };
    await finishWake(this.table, { workspaceId, nodeId, generation, result, now });
  }

  private async talk(now: Date): Promise<void> {
    await changeChat(this.table, this.plan.chatId, { set: { lastMessageAt: now.toISOString() }, now });
  }

  /** As end-run stops it, and the node confirms. */
  private async complete(now: Date): Promise<void> {
    const { workspaceId, owner } = this.plan;
    await claimStop(this.table, { workspaceId, userId: owner.userId, now });
    await this.stopped(now);
  }
}

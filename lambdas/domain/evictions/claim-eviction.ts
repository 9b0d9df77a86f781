import { Ulid } from '../../../protocol/ids.js';
import type { PrepareSnapshot } from '../../../protocol/snapshot-callbacks.js';
import { InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { chatNotFound } from '../chats/errors.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import type { CaptureCaller } from '../snapshots/capture-call.js';
import { claimWrites } from '../snapshots/claim-writes.js';
import { staleOperation } from '../snapshots/errors.js';
import type { Snapshot } from '../snapshots/snapshot.js';
import { type LedChat, loadWorkspaceChats, type WorkspaceChats } from '../snapshots/workspace-chats.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { isOfPresent } from './eviction-generation.js';

interface EvictionClaim {
  readonly asked: PrepareSnapshot & { readonly eviction: NonNullable<PrepareSnapshot['eviction']> };
  readonly now: Date;
  readonly newId: () => string;
}

const retries = { attempts: 5, message: 'The workspace changed at the same time. Try again.' };

/**
 * Claims the workspace for the capture that its node makes to evict it. The agent may work: its
 * turn is captured with it. A sleep that is captured at this time ends, because the node stops the
 * container in any case. A repeat changes nothing. Three table calls.
 *
 * @throws {InvalidRequest} the operation of an eviction is a ULID
 * @throws {workspaceNotFound | StaleGeneration}
 * @throws {chatNotFound} the named session does not serve an open chat of the workspace
 * @throws {staleOperation} the workspace does not run, or the eviction is of an earlier container
 * or an ended claim
 */
export async function claimEviction(
  table: Table,
  caller: CaptureCaller,
  claim: EvictionClaim,
): Promise<void> {
  if (!Ulid.safeParse(claim.asked.operationId).success)
    throw new InvalidRequest('An eviction is named by its operation.', [
      { field: 'operationId', message: 'Must be a ULID.' },
    ]);
  const seen = await loadWorkspaceChats(table, caller.workspaceId);
  await retryOnConflict<WorkspaceChats, undefined>(seen, retries, (found) =>
    tryClaim(table, caller, { ...claim, found }),
  );
}

async function tryClaim(
  table: Table,
  caller: CaptureCaller,
  { asked, found, now, newId }: EvictionClaim & { readonly found: WorkspaceChats },
): Promise<Attempt<WorkspaceChats, undefined>> {
  const workspace = requireGeneration(found.workspace, caller);
  const { snapshot } = found;
  const { operationId: claimId } = asked;
  if (!isOfPresent(workspace, asked.eviction.evictionGeneration)) throw staleOperation();
  if (workspace.sleep?.claimId === claimId) return { result: undefined };
  const from = requireRunning(workspace);
  requireNew(claimId, workspace, snapshot);
  const leader = leaderOf(found.chats, asked);
  const claim = { claimId, by: 'eviction', from } as const;
  const { committed } = await transact(
    table,
    claimWrites({ workspace, snapshot, leader, episode: undefined, claim, newId, now }),
  );
  return committed ? { result: undefined } : { met: await loadWorkspaceChats(table, caller.workspaceId) };
}

/** @throws {staleOperation} */
function requireRunning({ status, deletion, wake }: Workspace): 'running' | 'recovering' {
  if ((status !== 'running' && status !== 'recovering') || deletion || wake) throw staleOperation();
  return status;
}

/**
 * A late message of an attempt that a later one has replaced, or whose claim has ended.
 *
 * @throws {staleOperation}
 */
function requireNew(claimId: string, { sleep }: Workspace, snapshot: Snapshot | undefined): void {
  const isReplaced = sleep?.by === 'eviction' && sleep.claimId > claimId;
  if (isReplaced || snapshot?.capture?.operationId === claimId) throw staleOperation();
}

/** @throws {chatNotFound} */
function leaderOf(
  chats: readonly LedChat[],
  { chatSessionId, agentSessionId }: Pick<PrepareSnapshot, 'chatSessionId' | 'agentSessionId'>,
): LedChat {
  const leader = chats.find(
    ({ chat, session }) =>
      chat.status === 'active' && chat.chatId === chatSessionId && session.agentSessionId === agentSessionId,
  );
  if (!leader) throw chatNotFound();
  return leader;
}

import type { Table } from '../../shared/table.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import { workspaceNotFound } from '../workspaces/errors.js';
import type { IdleRows } from '../workspaces/idle-rules.js';
import type { SleepInProgress, Workspace } from '../workspaces/workspace.js';
import { claimWrites } from './claim-writes.js';
import {
  sleepBlocked,
  sleepNotInState,
  sleepRetryLater,
  workspaceBusy,
  workspaceEvicting,
  workspaceHasNoChat,
} from './errors.js';
import { retryAt } from './sleep-budget.js';
import type { SleepEpisode } from './snapshot.js';
import {
  isChatWorking,
  type LedChat,
  loadWorkspaceChats,
  messagesOf,
  type WorkspaceChats,
} from './workspace-chats.js';

export interface SleepRequest {
  readonly workspaceId: string;
  readonly by: Exclude<SleepInProgress['by'], 'eviction'>;
  /** Of an idle sleep: whether it is still due, also after a use since the read. */
  readonly isDue?: (rows: IdleRows) => boolean;
  readonly now: Date;
  readonly newId: () => string;
}

export interface SleepClaim {
  readonly claimId: string;
  readonly generation: number;
  /** The chat that leads the workspace. */
  readonly chatSessionId: string;
}

const retries = { attempts: 5, message: 'The workspace changed at the same time. Try again.' };

/**
 * Claims the sleep of a running workspace, or joins the one in progress. Nothing ends before its
 * snapshot is verified; a prompt that comes first cancels the claim. Three table calls, a few more
 * while the workspace changes.
 *
 * @throws {workspaceNotFound | sleepNotInState | workspaceHasNoChat | workspaceBusy}
 * @throws {workspaceEvicting}
 * @throws {sleepRetryLater | sleepBlocked} of automatic sleeps only
 */
export async function claimSleep(table: Table, request: SleepRequest): Promise<SleepClaim> {
  const { workspaceId } = request;
  const seen = await loadWorkspaceChats(table, workspaceId);
  return retryOnConflict<WorkspaceChats, SleepClaim>(seen, retries, (found) =>
    tryClaim(table, request, found),
  );
}

async function tryClaim(
  table: Table,
  request: SleepRequest,
  found: WorkspaceChats,
): Promise<Attempt<WorkspaceChats, SleepClaim>> {
  const { workspaceId, now, newId } = request;
  const { workspace, snapshot, chats } = found;
  if (!workspace || workspace.status === 'deleted') throw workspaceNotFound();
  const { generation, sleep } = workspace;
  if (sleep?.by === 'eviction') throw workspaceEvicting();
  if (sleep && snapshot)
    return { result: { claimId: sleep.claimId, generation, chatSessionId: snapshot.chatSessionId } };
  const from = requireAwake(workspace);
  const leader = requireIdleChats(chats, now);
  requireDue(request, workspace, chats);
  const episode = nextEpisode(request, found);
  const claimId = newId();
  const claim = { claimId, by: request.by, from };
  const { committed } = await transact(
    table,
    claimWrites({ workspace, snapshot, leader, episode, claim, absent: ['sleep'], newId, now }),
  );
  const { chatId: chatSessionId } = leader.chat;
  if (committed) return { result: { claimId, generation, chatSessionId } };
  return { met: await loadWorkspaceChats(table, workspaceId) };
}

/** @throws {sleepNotInState} */
function requireAwake({ status, deletion, wake }: Workspace): SleepInProgress['from'] {
  if ((status !== 'running' && status !== 'recovering') || deletion || wake) throw sleepNotInState(status);
  return status;
}

/**
 * The chat of the oldest active session.
 *
 * @throws {workspaceHasNoChat | workspaceBusy}
 */
function requireIdleChats(chats: readonly LedChat[], now: Date): LedChat {
  const active = chats.filter(({ chat }) => chat.status === 'active');
  const [leader] = active;
  if (!leader) throw workspaceHasNoChat();
  if (active.some(({ chat }) => isChatWorking(chat, now))) throw workspaceBusy();
  return leader;
}

/** @throws {workspaceBusy} */
function requireDue({ isDue }: SleepRequest, workspace: Workspace, chats: readonly LedChat[]): void {
  const open = chats.map(({ chat }) => chat).filter(({ status }) => status === 'active');
  if (isDue && !isDue({ workspace, chats: open })) throw workspaceBusy();
}

/**
 * The episode with one more attempt; null for a sleep by a person, which ends it.
 *
 * @throws {sleepRetryLater | sleepBlocked}
 */
function nextEpisode({ by, now }: SleepRequest, { snapshot, chats }: WorkspaceChats): SleepEpisode | null {
  if (by === 'person') return null;
  const messages = messagesOf(chats);
  const known = snapshot?.episode;
  if (!known || known.messages !== messages)
    return { startedAt: now.toISOString(), attempts: 1, failures: 0, messages, lastError: null };
  if (snapshot?.decision?.outcome === 'blocked') throw sleepBlocked();
  const at = retryAt(known, now);
  if (at) throw sleepRetryLater(at);
  return { ...known, attempts: known.attempts + 1 };
}

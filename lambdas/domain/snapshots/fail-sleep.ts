import type { Table } from '../../shared/table.js';
import { appendWrites } from '../chats/append-message.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { noSleep, noWaitingStep, workspaceChange } from '../workspaces/change-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { decideSleep } from './recovery-point.js';
import type { SleepDecision } from './sleep-decision.js';
import { type SleepEpisode, type Snapshot, snapshotChange } from './snapshot.js';
import type { ClaimedSleep } from './verify-snapshot.js';
import { type LedChat, loadWorkspaceChats, type WorkspaceChats } from './workspace-chats.js';

export interface SleepFailure extends ClaimedSleep {
  /** For a person, at most 2,048 characters (SESSION_LIFECYCLE_ERROR_MAX_LENGTH). */
  readonly message: string;
  /** A prompt, a stop or a deletion came first: no failure is counted. */
  readonly isCancelled: boolean;
  /** The sleep on a recovery point failed too. */
  readonly isFallback: boolean;
  /** An object of the snapshot or of the recovery point is missing or damaged. */
  readonly isUnverified: boolean;
  readonly now: Date;
}

/** `fallback`: the claim stays, and the workspace sleeps on its recovery point. */
export type AfterFailure = 'fallback' | 'ended';

const retries = { attempts: 5, message: 'The workspace changed at the same time.' };

/**
 * Ends the claim of a sleep that failed; the workspace keeps running. A failure of an automatic
 * sleep is counted once, whatever repeats. Three table calls, and more for a conflict.
 */
export async function failSleep(table: Table, failure: SleepFailure): Promise<AfterFailure> {
  const seen = await loadWorkspaceChats(table, failure.workspaceId);
  return retryOnConflict<WorkspaceChats, AfterFailure>(seen, retries, (found) =>
    tryFail(table, failure, found),
  );
}

async function tryFail(
  table: Table,
  failure: SleepFailure,
  found: WorkspaceChats,
): Promise<Attempt<WorkspaceChats, AfterFailure>> {
  const { workspace, snapshot } = found;
  if (!workspace || !snapshot || !isOwn(workspace, failure)) return { result: 'ended' };
  const { result, set, notice } = consequence({ workspace, snapshot, chats: found.chats }, failure);
  const { version } = snapshot;
  const { now, workspaceId } = failure;
  const { committed } = await transact(table, [
    claimWrite(workspace, result, now),
    { update: snapshotChange(workspaceId, { set, when: { equals: { version } }, now }) },
    ...notice,
  ]);
  return committed ? { result } : { met: await loadWorkspaceChats(table, workspaceId) };
}

interface FoundSleep {
  readonly workspace: Workspace;
  readonly snapshot: Snapshot;
  readonly chats: readonly LedChat[];
}

/** What the failure means for the claim, the record and the chat. */
function consequence(found: FoundSleep, failure: SleepFailure) {
  const { snapshot } = found;
  const counted = countFailure(snapshot, failure);
  const decision = counted && decided({ ...snapshot, episode: counted }, failure);
  const result: AfterFailure = decision?.outcome === 'slept' && !failure.isFallback ? 'fallback' : 'ended';
  const notice = decision?.outcome === 'blocked' ? noticeWrites(found, decision, failure) : [];
  const messages = (counted?.messages ?? 0) + (notice.length > 0 ? 1 : 0);
  const status = snapshot.objects ? undefined : ('failed' as const);
  const captureError = failure.message.slice(0, maxErrorLength);
  return {
    result,
    notice,
    set: { captureError, status, decision, episode: counted && { ...counted, messages } },
  };
}

/** A recovery point that is not stored as recorded is none. */
function decided(
  snapshot: Snapshot & { readonly episode: SleepEpisode },
  { isFallback, isUnverified, now }: SleepFailure,
): SleepDecision | undefined {
  const decision = decideSleep(snapshot, now);
  if (!decision || !isFallback || !isUnverified) return decision;
  return {
    ...decision,
    outcome: 'blocked',
    blockedReason: 'commit_objects_unavailable',
    recoveryPoint: null,
  };
}

const isOwn = ({ generation, sleep }: Workspace, failure: SleepFailure): boolean =>
  generation === failure.generation && sleep?.claimId === failure.claimId && sleep.phase === 'capturing';

/** SESSION_LIFECYCLE_ERROR_MAX_LENGTH */
const maxErrorLength = 2_048;

/** The claim ends, or stays for the fallback. */
const claimWrite = ({ workspaceId, generation, version }: Workspace, after: AfterFailure, now: Date) => ({
  update: workspaceChange({
    workspaceId,
    set: after === 'fallback' ? noWaitingStep : { ...noSleep, ...noWaitingStep },
    when: { equals: { generation, version } },
    now,
  }),
});

/** Undefined when the failure is not counted: the sleep was cancelled or asked for by a person. */
function countFailure({ episode }: Snapshot, failure: SleepFailure): SleepEpisode | undefined {
  if (failure.isCancelled || !episode) return undefined;
  if (episode.lastFailedClaim === failure.claimId) return episode;
  return {
    ...episode,
    failures: episode.failures + 1,
    lastFailedAt: failure.now.toISOString(),
    lastFailedClaim: failure.claimId,
    lastError: failure.message.slice(0, maxErrorLength),
  };
}

/** The message that says why the workspace keeps running. */
function noticeWrites(
  { chats, snapshot }: FoundSleep,
  { blockedReason }: SleepDecision,
  { claimId, message, now }: SleepFailure,
): readonly Write[] {
  const leader = chats.find(({ chat }) => chat.chatId === snapshot.chatSessionId);
  if (!leader) return [];
  const content = `The workspace keeps running: it could not sleep with a complete snapshot (${blockedReason}). Last failure: ${message}`;
  return appendWrites(leader.chat, {
    message: {
      messageId: `sleep-blocked-${claimId}`,
      role: 'system',
      content,
      toolMetadata: null,
      origin: 'system',
    },
    now,
  });
}

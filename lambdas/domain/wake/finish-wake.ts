import type { RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import type { Table } from '../../shared/table.js';
import { appendWrites } from '../chats/append-message.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { staleOperation } from '../snapshots/errors.js';
import { snapshotChange } from '../snapshots/snapshot.js';
import { type LedChat, loadWorkspaceChats, type WorkspaceChats } from '../snapshots/workspace-chats.js';
import { taskWakes } from '../tasks/sleeping-task.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import type { WakeInProgress, Workspace } from '../workspaces/workspace.js';
import { degradedNotice, isDegraded, mayTryAgain, restoreOf } from './restore-outcome.js';

interface RestoreReport {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly result: RestoreResult;
  readonly now: Date;
}

export interface FinishedWake {
  /** `failed`: the waiting step has to fail, and the workspace sleeps again. */
  readonly outcome: 'woken' | 'failed';
  readonly taskToken: string | undefined;
  /** The chats with waiting prompts. */
  readonly waiting: readonly string[];
}

const retries = { attempts: 8, message: 'The workspace changed at the same time. Try again.' };

/**
 * Records the result of a restore: the chats of the workspace continue, in one transaction. A chat
 * with a part that could not be restored names it. Repeatable. Three table calls.
 *
 * @throws {workspaceNotFound | StaleGeneration | staleOperation}
 */
export async function finishWake(table: Table, report: RestoreReport): Promise<FinishedWake> {
  const { workspaceId } = report;
  const seen = await loadWorkspaceChats(table, workspaceId);
  return retryOnConflict<WorkspaceChats, FinishedWake>(seen, retries, (found) =>
    tryFinish(table, report, found),
  );
}

async function tryFinish(
  table: Table,
  report: RestoreReport,
  found: WorkspaceChats,
): Promise<Attempt<WorkspaceChats, FinishedWake>> {
  const { result, workspaceId } = report;
  const workspace = requireGeneration(found.workspace, report);
  const { wake, taskToken, wokenBy } = workspace;
  const waiting = found.chats.filter(({ chat }) => chat.queuedPrompts > 0).map(({ chat }) => chat.chatId);
  // A repeat: the reply was lost, and maybe the result of the step too.
  if (!wake && wokenBy === result.operationId) return { result: { outcome: 'woken', taskToken, waiting } };
  if (wake?.operationId !== result.operationId || wake.phase !== 'restoring') throw staleOperation();
  if (mayTryAgain(result, wake)) return { result: { outcome: 'failed', taskToken, waiting: [] } };
  const outcome = await transact(table, wokenWrites(workspace, wake, { ...report, chats: found.chats }));
  if (outcome.committed) return { result: { outcome: 'woken', taskToken, waiting } };
  return { met: await loadWorkspaceChats(table, workspaceId) };
}

interface Woken extends RestoreReport {
  readonly chats: readonly LedChat[];
}

function wokenWrites(
  { workspaceId, generation, version }: Workspace,
  { operationId }: WakeInProgress,
  woken: Woken,
): readonly Write[] {
  const { result, now } = woken;
  return [
    {
      update: workspaceChange({
        workspaceId,
        set: {
          ...{ wake: null, wakeFailure: null, asleep: null, wokenBy: operationId },
          ...{ eviction: null, endedBecause: null },
        },
        when: {
          equals: { generation, version },
          oneOf: { status: ['running', 'recovering'] },
          present: ['wake'],
        },
        now,
      }),
    },
    {
      update: snapshotChange(workspaceId, {
        set: {
          ...{ sleepingAt: null, snapshotExpiresAt: null, episode: null, decision: null },
          // Of an eviction, of which no report comes any more.
          capture: null,
        },
        now,
      }),
    },
    ...woken.chats.flatMap(({ session, chat }) =>
      chatWrites(chat, result, { agentSessionId: session.agentSessionId, now }),
    ),
    ...woken.chats.flatMap((one) => taskWakes(one, now)),
  ];
}

/** An agent without its conversation is started by the next prompt. */
function chatWrites(
  chat: Chat,
  result: RestoreResult,
  { agentSessionId, now }: { readonly agentSessionId: string; readonly now: Date },
): readonly Write[] {
  const { hasConversation = false } =
    result.sessions.find((session) => session.agentSessionId === agentSessionId) ?? {};
  const set = {
    status: 'active',
    snapshotExpiresAt: null,
    endedBecause: null,
    restore: restoreOf(result, now),
    ...(hasConversation ? {} : { isStarted: null, activity: null }),
  } as const;
  if (!isDegraded(result))
    return [{ update: chatChange(chat.chatId, { set, when: { equals: { status: 'sleeping' } }, now }) }];
  return appendWrites(chat, { message: degradedNotice(result), set, now });
}

import { pendingReconcileItem } from '../records/pending-reconcile.js';
import type { Write } from '../records/transact.js';
import { noWaitingStep, workspaceChange } from '../workspaces/change-workspace.js';
import type { SleepInProgress, Workspace } from '../workspaces/workspace.js';
import { type SleepEpisode, type Snapshot, snapshotChange, snapshotItem } from './snapshot.js';
import type { LedChat } from './workspace-chats.js';

interface NewClaim {
  readonly workspace: Workspace;
  readonly snapshot: Snapshot | undefined;
  readonly leader: LedChat;
  /** Undefined: the episode of automatic sleeps stays as it is. */
  readonly episode: SleepEpisode | null | undefined;
  readonly claim: Pick<SleepInProgress, 'claimId' | 'by' | 'from'>;
  /** What must not be on the row besides a deletion and a wake. */
  readonly absent?: readonly ['sleep'];
  readonly newId: () => string;
  readonly now: Date;
}

/** The claim of a sleep or an eviction: workspace, record of the snapshot, marker for the sweep. */
export function claimWrites(made: NewClaim): readonly Write[] {
  const { workspace, claim, absent = [], now } = made;
  const { workspaceId, generation, version, updatedAt } = workspace;
  return [
    {
      update: workspaceChange({
        workspaceId,
        set: { ...noWaitingStep, sleep: { ...claim, claimedAt: now.toISOString(), phase: 'capturing' } },
        when: {
          equals: { generation, version, updatedAt },
          absent: [...absent, 'deletion', 'wake'],
        },
        now,
      }),
    },
    recordWrite(made),
    {
      put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() }),
      when: {},
    },
  ];
}

/** Each claim increments the version of the record, so that a late call of an earlier one fails. */
function recordWrite({ snapshot, leader, episode, newId, now }: NewClaim): Write {
  const { session, chat } = leader;
  const { workspaceId, agentSessionId } = session;
  const leads = { chatSessionId: chat.chatId, agentSessionId };
  if (snapshot) {
    const decision = isSameEpisode(episode, snapshot) ? undefined : null;
    const set = { ...leads, episode, decision, captureError: null };
    const when = { equals: { version: snapshot.version } };
    return { update: snapshotChange(workspaceId, { set, when, now }) };
  }
  const at = now.toISOString();
  const { projectId, userId } = chat;
  const made: Snapshot = {
    ...{ snapshotId: newId(), workspaceId, projectId, userId, ...leads },
    runtime: 'vm',
    status: 'pending',
    degradation: 'none',
    baseCommit: null,
    captureGeneration: 0,
    oldestGeneration: 1,
    captureError: null,
    ...(episode ? { episode } : {}),
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
  return { put: snapshotItem(made), when: { exists: false } };
}

const isSameEpisode = (episode: SleepEpisode | null | undefined, snapshot: Snapshot): boolean =>
  episode === undefined || (episode !== null && episode.startedAt === snapshot.episode?.startedAt);

import { statePaths } from '../config/config.js';
import type { Log } from '../shared/log.js';
import { Captures } from '../snapshots/captures.js';
import { RestoredSessions } from '../snapshots/restored-sessions.js';
import { Restores } from '../snapshots/restores.js';
import { SnapshotCallbacks } from '../snapshots/snapshot-callbacks.js';
import { SnapshotOperations } from '../snapshots/snapshot-operations.js';
import { SnapshotStore } from '../snapshots/snapshot-store.js';
import { SnapshotWorkspaces } from '../snapshots/snapshot-workspaces.js';
import { UnchangedStop } from '../snapshots/unchanged-stop.js';
import { type SnapshotRequest, UnfinishedOperations } from '../snapshots/unfinished-operations.js';
import { WorkspaceCapture } from '../snapshots/workspace-capture.js';
import { WorkspaceRestore } from '../snapshots/workspace-restore.js';
import type { AgentSessionServices } from './agent-sessions.js';
import type { ConversationServices } from './conversations.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceServices } from './workspaces.js';

/** Time limit of one callback of a snapshot. */
const callbackTimeoutMs = 15_000;

/** Captures and restores of workspaces, and their stop when they go to sleep. */
export interface SnapshotServices {
  readonly operations: SnapshotOperations;
  readonly captures: Captures;
  readonly restores: Restores;
  readonly unchangedStop: UnchangedStop;
  readonly start: () => Promise<void>;
  /** Continues what the last run of the agent has not ended, in workspaces that run. */
  readonly resume: () => void;
  readonly removeWorkspace: (workspaceId: string) => void;
}

interface Composed {
  readonly conversations: ConversationServices;
  readonly sessions: AgentSessionServices;
}

export function composeSnapshots(
  { config, storage, controlPlane, log }: Foundation,
  { workspaces: services, commands, terminals }: WorkspaceServices,
  { conversations, sessions: composed }: Composed,
): SnapshotServices {
  const { hosts, sessions, records, fence } = composed;
  const { database, events } = storage;
  const { timeoutMs, progressIntervalMs } = config.snapshots;
  const folder = statePaths(config.stateDir).snapshots;
  const store = new SnapshotStore(database);
  const unfinished = new UnfinishedOperations(database);
  const operations = new SnapshotOperations(timeoutMs, unfinished, log);
  const callbacks = new SnapshotCallbacks(controlPlane.client, callbackTimeoutMs);
  const workspaces = new SnapshotWorkspaces({ sessions, workspaces: services });
  const capture = new WorkspaceCapture(commands, folder, log);
  const restore = new WorkspaceRestore(commands, folder, log);
  const { sequences } = conversations.outbox;
  const common = { operations, callbacks, workspaces, records, hosts, events, progressIntervalMs, log };
  const captures = new Captures({ ...common, capture, sequences, terminals, fence });
  const restored = new RestoredSessions({ records, hosts });
  const restores = new Restores({ ...common, restore, store, sessions: restored });
  return {
    operations,
    captures,
    restores,
    unchangedStop: new UnchangedStop({ captures, operations, commands, store, fence, records, hosts }),
    start: () => capture.start(),
    resume: () => {
      for (const one of unfinished.takeAll()) continueOperation(one, { captures, restores, log });
    },
    removeWorkspace: (workspaceId) => {
      captures.forget(workspaceId);
      store.removeWorkspace(workspaceId);
    },
  };
}

interface Continuing {
  readonly captures: Captures;
  readonly restores: Restores;
  readonly log: Log;
}

function continueOperation(one: SnapshotRequest, { captures, restores, log }: Continuing): void {
  const { workspaceId } = one.key;
  try {
    if (one.kind === 'capture') captures.begin(one.key, one.request);
    else restores.begin(one.key, one.request);
  } catch (error) {
    // The workspace does not run: the control plane begins again.
    log.info('Snapshot operation is not continued', { workspaceId, error });
  }
}

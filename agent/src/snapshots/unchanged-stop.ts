import type { PromptFence } from '../agent-sessions/prompt-fence.js';
import type { SessionHosts } from '../agent-sessions/session-hosts.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import { AgentError } from '../errors.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import { isRunning, type Workspace } from '../workspaces/workspace.js';
import { writeAsleepMarker } from './asleep-marker.js';
import type { CapturedState, Captures } from './captures.js';
import { changedFiles } from './changes-since.js';
import type { SnapshotOperations } from './snapshot-operations.js';
import type { SnapshotStore } from './snapshot-store.js';
import { snapshotKey } from './workspace-restore.js';
import { WorkspaceShell } from './workspace-shell.js';

interface UnchangedStopDeps {
  readonly captures: Pick<Captures, 'find'>;
  readonly operations: Pick<SnapshotOperations, 'finished'>;
  readonly commands: WorkspaceCommands;
  readonly store: SnapshotStore;
  readonly fence: PromptFence;
  readonly records: Pick<SessionRecords, 'list'>;
  readonly hosts: Pick<SessionHosts, 'find'>;
}

const checkTimeoutMs = 60_000;

/** Decides whether a workspace may stop for its sleep: nothing changed since the capture. */
export class UnchangedStop {
  constructor(private readonly deps: UnchangedStopDeps) {}

  /**
   * Refuses prompts until the result is disposed. A repeat for a workspace that went to sleep
   * succeeds.
   *
   * @throws AgentError changed_since_snapshot
   */
  async prepare(workspace: Workspace, operationId: string): Promise<Disposable> {
    const { captures, operations, store, fence } = this.deps;
    const { workspaceId, status } = workspace;
    if (status === 'stopped' && store.wentToSleep(workspaceId, operationId))
      return { [Symbol.dispose]: () => undefined };
    // The answer to the manifest may still be on its way.
    await operations.finished(workspaceId, operationId);
    const captured = captures.find(workspaceId);
    if (!isRunning(workspace) || captured?.complete.operationId !== operationId)
      throw changed('The node has no capture of this operation');
    const closing = fence.close(workspaceId);
    try {
      await this.check(workspace, captured);
      store.asleep(workspaceId, operationId);
      return closing;
    } catch (error) {
      closing[Symbol.dispose]();
      throw error;
    }
  }

  private async check(workspace: Workspace, { prompts, hashes, complete }: CapturedState): Promise<void> {
    const { fence, commands, records, hosts } = this.deps;
    const { workspaceId } = workspace;
    const isPrompting = records.list(workspaceId).some((session) => hosts.find(session)?.host.turn);
    if (isPrompting || fence.count(workspaceId) !== prompts) throw changed('A prompt was accepted');
    const shell = new WorkspaceShell(commands, workspace, AbortSignal.timeout(checkTimeoutMs));
    const files = await changedFiles(shell, hashes);
    if (files !== null) throw changed(files);
    await writeAsleepMarker(shell, snapshotKey(complete.manifest));
  }
}

const changed = (what: string): AgentError =>
  new AgentError('changed_since_snapshot', `${what} since the capture. The workspace goes on.`);

import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { SagaName } from '../../saga-names.js';
import type { RemovalMode } from '../nodes/node-status.js';

interface WorkspaceInput {
  readonly workspaceId: string;
  readonly generation: number;
}

interface TaskInput {
  readonly projectId: string;
  readonly taskId: string;
  readonly run: number;
}

/** A start that failed and is tried again under a new name. */
interface Attempt {
  readonly attempt: number;
}

/**
 * Starts sagas, one method each: it names the execution and its input. A start returns false when
 * an execution of this name exists already, running or ended: a repeat starts nothing.
 */
export class Sagas {
  constructor(
    private readonly client: SFNClient,
    /** ARNs of the sagas that this function may start. */
    private readonly arns: Readonly<Partial<Record<SagaName, string>>>,
  ) {}

  /** With `wake`, the generation restores the snapshot of the workspace. */
  startProvisionWorkspace({
    workspaceId,
    generation,
    wake,
  }: WorkspaceInput & { readonly wake?: object | undefined }): Promise<boolean> {
    const input = { workspaceId, generation, ...(wake ? { wakes: true } : {}) };
    return this.start('provision-workspace', `${workspaceId}-${generation}`, input);
  }

  startStopWorkspace({ workspaceId, generation }: WorkspaceInput): Promise<boolean> {
    return this.start('stop-workspace', `${workspaceId}-${generation}-stop`, { workspaceId, generation });
  }

  startSleepWorkspace({ workspaceId, generation, claimId }: WorkspaceInput & { claimId: string }) {
    const input = { workspaceId, generation, claimId };
    return this.start('sleep-workspace', `${workspaceId}-${generation}-sleep-${claimId}`, input);
  }

  startDeleteWorkspace({ workspaceId, generation, attempt }: WorkspaceInput & Attempt): Promise<boolean> {
    return this.start('delete-workspace', `${workspaceId}-delete-${attempt}`, { workspaceId, generation });
  }

  startRemoveNode({ nodeId, mode, attempt }: { nodeId: string; mode: RemovalMode } & Attempt) {
    return this.start('remove-node', `${nodeId}-${mode}-${attempt}`, { nodeId, mode });
  }

  startRunTask({ projectId, taskId, run }: TaskInput): Promise<boolean> {
    return this.start('run-task', `${taskId}-${run}-run`, { projectId, taskId, run });
  }

  startEndRun({ projectId, taskId, run, attempt }: TaskInput & Attempt): Promise<boolean> {
    return this.start('end-run', `${taskId}-${run}-end-${attempt}`, { projectId, taskId, run });
  }

  startEndSession({ userId, sessionHash }: { userId: string; sessionHash: string }): Promise<boolean> {
    return this.start('end-session', `${sessionHash}-end`, { userId, sessionHash });
  }

  /** After the end of a membership of one project; `version` is that of the member's record. */
  startEndMembership(membership: { projectId: string; userId: string; version: number }): Promise<boolean> {
    const { projectId, userId, version } = membership;
    return this.start('end-membership', `${projectId}-${userId}-${version}`, { projectId, userId });
  }

  /** After a person lost access to the whole deployment. */
  startEndAccess({ userId, accessVersion }: { userId: string; accessVersion: number }): Promise<boolean> {
    return this.start('end-membership', `${userId}-access-${accessVersion}`, { userId, projectId: null });
  }

  private async start(saga: SagaName, name: string, input: Readonly<Record<string, unknown>>) {
    const stateMachineArn = this.arns[saga];
    if (!stateMachineArn) throw new Error(`This function has no grant saga:${saga}`);
    try {
      await this.client.send(
        new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }),
      );
      return true;
    } catch (error) {
      if (error instanceof ExecutionAlreadyExists) return false;
      throw error;
    }
  }
}

import { Conflict, Gone, InvalidRequest, NotFound } from '../../shared/errors.js';
import type { WorkspaceStatus } from './workspace-status.js';

export class WorkspaceNotFound extends NotFound {
  constructor(readonly workspaceId: string) {
    super('Workspace');
  }
}

/** The state of the workspace does not allow the request. */
export class WorkspaceNotInState extends Conflict {
  override readonly name = 'WorkspaceNotInState';

  constructor(
    readonly status: WorkspaceStatus,
    advice: string,
  ) {
    super(`The workspace is ${status}. ${advice}`);
  }
}

/** A request through a chat session needs a running workspace. */
export class WorkspaceNotRunning extends InvalidRequest {
  constructor(state: string) {
    const message = `The workspace of the session is ${state}`;
    super(
      'The workspace of the session does not run. Restart the workspace first.',
      [{ field: 'sessionId', message }],
      'WORKSPACE_NOT_RUNNING',
    );
  }
}

/** A stop or deletion came first: the saga undoes its work, without an error for the person. */
export class WorkspaceStopped extends Conflict {
  override readonly name = 'WorkspaceStopped';

  constructor(readonly workspaceId: string) {
    super('The workspace was stopped while it was being provisioned');
  }
}

/** The caller belongs to an earlier generation of the workspace. */
export class StaleGeneration extends Gone {
  override readonly name = 'StaleGeneration';

  constructor(
    readonly workspaceId: string,
    readonly generation: number,
  ) {
    super('The token belongs to an earlier generation of the workspace, or the workspace is deleted');
  }
}

export type DeletionRejection = 'workspace_missing' | 'workspace_assignment_changed' | 'workspace_active';

/** The workspace changed between the read and the claim: it is not the one that the person saw. */
export class DeletionRejected extends Conflict {
  override readonly name = 'DeletionRejected';

  constructor(
    readonly workspaceId: string,
    readonly reason: DeletionRejection,
  ) {
    super(
      `The workspace changed before the deletion started (${reason}). Read it again before you delete it.`,
    );
  }
}

/** No proof yet that the workspace is gone from its node. */
export class DeletionUnconfirmed extends Conflict {
  override readonly name = 'DeletionUnconfirmed';

  constructor(reason: string) {
    super(`The deletion has no proof yet: ${reason}`);
  }
}

/** The state machine matches this name to retry PlaceWorkspace for a waiting task. */
export class NodeLimitReached extends Conflict {
  override readonly name = 'NodeLimitReached';

  constructor(message: string, code = 'NODE_LIMIT_REACHED') {
    super(message, { code });
  }
}

export const nodeLimitReached = (limit: number) =>
  new NodeLimitReached(
    `All of your ${limit} nodes are full or do not answer (limit ${limit}). Stop a workspace or delete a node, then create the workspace again.`,
  );

export const deploymentNodeLimitReached = (limit: number) =>
  new NodeLimitReached(
    `This deployment has ${limit} nodes (limit ${limit}, setting maxNodes). Create the workspace again after a node is removed, or ask an operator to raise the limit.`,
    'DEPLOYMENT_NODE_LIMIT_REACHED',
  );

export const requestedNodeFull = (name: string) =>
  new NodeLimitReached(
    `The requested node ${name} is full or does not answer. Stop a workspace on it, or leave out nodeId.`,
  );

/** The requested node accepts no workspaces any more. The message is for the person. */
export class RequestedNodeUnavailable extends Conflict {
  override readonly name = 'RequestedNodeUnavailable';

  constructor(name?: string) {
    const node = name === undefined ? 'The requested node' : `The requested node ${name}`;
    super(`${node} is removed or accepts no workspaces. Choose another node, or leave out nodeId.`);
  }
}

/** PlaceWorkspace is to be retried. */
export class NoRoomYet extends Conflict {
  override readonly name = 'NoRoomYet';

  constructor() {
    super('No node has a free slot yet');
  }
}

/** The node reported ready before the step could wait. */
export class WorkspaceAlreadyReady extends Conflict {
  override readonly name = 'WorkspaceAlreadyReady';

  constructor(readonly workspaceId: string) {
    super('The workspace is already running');
  }
}

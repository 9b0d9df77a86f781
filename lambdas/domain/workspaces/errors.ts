import { Conflict, Gone, InvalidRequest, NotFound } from '../../shared/errors.js';
import type { WorkspaceStatus } from './workspace-status.js';

export class WorkspaceNotFound extends NotFound {
  constructor(readonly workspaceId: string) {
    super('Workspace');
  }
}

/** It is not in a state in which this can be done. */
export class WorkspaceNotInState extends Conflict {
  override readonly name = 'WorkspaceNotInState';

  constructor(
    readonly status: WorkspaceStatus,
    wanted: string,
  ) {
    super(`The workspace is ${status}; ${wanted}`);
  }
}

/** What is asked of it through its chat session needs one that runs. */
export class WorkspaceNotRunning extends InvalidRequest {
  constructor(state: string) {
    const message = `Its workspace is ${state}`;
    super(
      'The workspace of the session does not run',
      [{ field: 'sessionId', message }],
      'WORKSPACE_NOT_RUNNING',
    );
  }
}

/** A stop or a deletion has overtaken the saga: what it built is undone, without an error for the person. */
export class WorkspaceStopped extends Conflict {
  override readonly name = 'WorkspaceStopped';

  constructor(readonly workspaceId: string) {
    super('The workspace was stopped while it was being provisioned');
  }
}

/** The caller speaks for an earlier life of the workspace. */
export class StaleGeneration extends Gone {
  override readonly name = 'StaleGeneration';

  constructor(
    readonly workspaceId: string,
    readonly generation: number,
  ) {
    super('The workspace has been started anew since this token was issued');
  }
}

export type DeletionRejection = 'workspace_missing' | 'workspace_assignment_changed' | 'workspace_active';

/** Between the look at it and the claim the workspace has become another one than the person wanted to delete. */
export class DeletionRejected extends Conflict {
  override readonly name = 'DeletionRejected';

  constructor(
    readonly workspaceId: string,
    readonly reason: DeletionRejection,
  ) {
    super(`The workspace has changed meanwhile (${reason}): look at it again before you delete it`);
  }
}

/** Nothing proves yet that the workspace is gone from its node. */
export class DeletionUnconfirmed extends Conflict {
  override readonly name = 'DeletionUnconfirmed';

  constructor(reason: string) {
    super(`The deletion is not proven yet: ${reason}`);
  }
}

export class NodeLimitReached extends Conflict {
  override readonly name = 'NodeLimitReached';
  override readonly code: string = 'NODE_LIMIT_REACHED';

  constructor(
    limit: number,
    message = `All of your ${limit} nodes are full or busy: stop a workspace, or delete a node, and create it again`,
  ) {
    super(message);
  }
}

/** To a task that waits for a place it is the same, so it has the same name. */
export class DeploymentNodeLimitReached extends NodeLimitReached {
  override readonly code = 'DEPLOYMENT_NODE_LIMIT_REACHED';

  constructor(limit: number) {
    super(
      limit,
      `This deployment has ${limit} nodes, its limit (setting maxNodes). Create the workspace again when a node was removed, or ask an operator to raise the limit.`,
    );
  }
}

/** No room where it has to be; to who waits for a place it is the same, so it has the same name. */
export class WantedNodeFull extends NodeLimitReached {
  constructor(name: string) {
    super(
      1,
      `The node ${name} that was asked for is full or does not answer: stop a workspace there, or ask for none`,
    );
  }
}

/** The node where it has to be takes no workspaces any more. The message is for the person. */
export class WantedNodeUnavailable extends Conflict {
  override readonly name = 'WantedNodeUnavailable';

  constructor(name = 'that was asked for') {
    super(`The node ${name} is gone or takes no more workspaces: ask for another one, or for none`);
  }
}

export class IdempotencyKeyReused extends Conflict {
  override readonly name = 'IdempotencyKeyReused';
  override readonly code = 'IDEMPOTENCY_KEY_REUSED';

  constructor() {
    super('This Idempotency-Key was used with another request');
  }
}

/** What waits for a place on a node is to ask again. */
export class NoRoomYet extends Conflict {
  override readonly name = 'NoRoomYet';

  constructor() {
    super('No node has room yet');
  }
}

/** There is nothing to wait for: the node has reported it before. */
export class WorkspaceAlreadyReady extends Conflict {
  override readonly name = 'WorkspaceAlreadyReady';

  constructor(readonly workspaceId: string) {
    super('The workspace runs already');
  }
}

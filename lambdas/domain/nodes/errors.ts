import {
  Conflict,
  type FieldError,
  Gone,
  InvalidRequest,
  NotFound,
  Unavailable,
} from '../../shared/errors.js';

export class NodeNotFound extends NotFound {
  constructor(readonly nodeId: string) {
    super('Node');
  }
}

const named = (slots: ReadonlySet<string>): readonly FieldError[] =>
  [...slots].map((slot) => ({ field: 'workspaces', message: slot.split('#')[0] ?? slot }));

/** Workspaces hold slots on the node; `details` names them. */
export class NodeHasActiveWorkspaces extends Conflict {
  override readonly name = 'NodeHasActiveWorkspaces';
  override readonly details: readonly FieldError[];

  constructor(
    slots: ReadonlySet<string>,
    override readonly code: 'CONFLICT' | 'NODE_HAS_ACTIVE_WORKSPACES' = 'NODE_HAS_ACTIVE_WORKSPACES',
  ) {
    super('Node has active workspaces. Stop or delete them first.');
    this.details = named(slots);
  }
}

export class NodeNotInState extends Conflict {
  override readonly name = 'NodeNotInState';

  constructor(
    readonly status: string,
    advice: string,
  ) {
    super(`Node is ${status}. ${advice}`);
  }
}

/** Why `beginRemoval` leaves a node as it is: another change of the node was first. */
export const isRefusedRemoval = (error: unknown): boolean =>
  [NodeHasActiveWorkspaces, NodeNotInState, NodeNotFound].some((kind) => error instanceof kind);

/** The node is being removed or was removed: its agent stops reporting. */
export class NodeGone extends Gone {
  override readonly name = 'NodeGone';

  constructor(readonly nodeId: string) {
    super('Node is removed.');
  }
}

/** The node is being launched; the state machine matches this name to wait for it. */
export class NodeNotReady extends Unavailable {
  override readonly name = 'NodeNotReady';

  constructor(readonly nodeId: string) {
    super('The node is being launched');
  }
}

/** The instance is not in the required state yet: retry later. */
export class InstanceNotInState extends Unavailable {
  override readonly name = 'InstanceNotInState';
}

interface Unreached extends ErrorOptions {
  readonly mayHaveActed?: boolean;
  readonly retryAfter?: number;
}

/** The node did not answer, or its reply cannot be read. */
export class NodeUnreachable extends Unavailable {
  override readonly name = 'NodeUnreachable';
  /** Whether the request can have arrived, so that the node may have acted on it. */
  readonly mayHaveActed: boolean;
  override readonly retryAfter: number | undefined;

  constructor(message: string, { mayHaveActed = true, retryAfter, ...options }: Unreached = {}) {
    super(message, options);
    this.mayHaveActed = mayHaveActed;
    this.retryAfter = retryAfter;
  }
}

/** The node refused the request and would refuse it again. */
export class NodeRefused extends Conflict {
  override readonly name = 'NodeRefused';

  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super(`The node refused the request (${status} ${reason})`);
  }
}

/** EC2 has no capacity for the node at present: its workspaces are placed again. */
export class NodeLaunchRefused extends Unavailable {
  override readonly name = 'NodeLaunchRefused';
}

/** The node reported ready before the step could wait. */
export class NodeAlreadyReady extends Conflict {
  override readonly name = 'NodeAlreadyReady';

  constructor(readonly nodeId: string) {
    super('The node is already ready');
  }
}

/**
 * The dev container of the repository requires more than any node can have. The state machine of
 * tasks matches this name, and users see the message.
 */
export class HostRequirementsTooLarge extends InvalidRequest {
  override readonly name = 'HostRequirementsTooLarge';

  constructor(message: string, details: readonly FieldError[]) {
    super(message, details, 'RESOURCES_TOO_LARGE');
  }
}

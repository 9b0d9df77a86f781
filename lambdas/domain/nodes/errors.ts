import { Conflict, type FieldError, Gone, NotFound, Unavailable } from '../../shared/errors.js';

export class NodeNotFound extends NotFound {
  constructor(readonly nodeId: string) {
    super('Node');
  }
}

const named = (slots: ReadonlySet<string>): readonly FieldError[] =>
  [...slots].map((slot) => ({ field: 'workspaces', message: slot.split('#')[0] ?? slot }));

/** Workspaces hold places on it; `details` names them. */
export class NodeHasActiveWorkspaces extends Conflict {
  override readonly name = 'NodeHasActiveWorkspaces';
  override readonly details: readonly FieldError[];

  constructor(
    slots: ReadonlySet<string>,
    override readonly code: 'CONFLICT' | 'NODE_HAS_ACTIVE_WORKSPACES' = 'NODE_HAS_ACTIVE_WORKSPACES',
  ) {
    super('The node hosts active workspaces: stop or delete them first');
    this.details = named(slots);
  }
}

export class NodeNotInState extends Conflict {
  override readonly name = 'NodeNotInState';

  constructor(
    readonly status: string,
    wanted: string,
  ) {
    super(`The node is ${status}; ${wanted}`);
  }
}

/** It is being removed, or was: its agent has nothing to report any more. */
export class NodeGone extends Gone {
  override readonly name = 'NodeGone';

  constructor(readonly nodeId: string) {
    super('The node has been removed');
  }
}

/** The instance is not in the wanted state yet; asking again later makes sense. */
export class InstanceNotYet extends Unavailable {
  override readonly name = 'InstanceNotYet';
}

interface Unreached extends ErrorOptions {
  readonly mayHaveActed?: boolean;
  readonly retryAfter?: number;
}

/** The node did not answer as it should. */
export class NodeUnreachable extends Unavailable {
  override readonly name = 'NodeUnreachable';
  /** Whether anything of the call can have reached it: only then is it unknown what the node has done. */
  readonly mayHaveActed: boolean;
  override readonly retryAfter: number | undefined;

  constructor(message: string, { mayHaveActed = true, retryAfter, ...options }: Unreached = {}) {
    super(message, options);
    this.mayHaveActed = mayHaveActed;
    this.retryAfter = retryAfter;
  }
}

/** The node refused, and would refuse again. */
export class NodeRefused extends Conflict {
  override readonly name = 'NodeRefused';

  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super(`The node refused (${status} ${reason})`);
  }
}

/** There is nothing to wait for: the node has reported before. */
export class NodeAlreadyReady extends Conflict {
  override readonly name = 'NodeAlreadyReady';

  constructor(readonly nodeId: string) {
    super('The node is ready already');
  }
}

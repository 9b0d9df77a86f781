import { Conflict, Gone, InvalidRequest, NotFound } from '../../shared/errors.js';
import type { Cooldown } from '../nodes/launch-cooldown.js';
import type { PlacementExplanation } from './placement-explanation.js';
import type { WorkspaceStatus } from './workspace-status.js';

export const workspaceNotFound = () => new NotFound('Workspace');

/** `advice` names the status that allows the request, or what to do first. */
export const workspaceNotInState = (status: WorkspaceStatus, advice: string) =>
  new Conflict(`Workspace is ${status}. ${advice}`);

/** Names of ports stay until the workspace is deleted, because its restart writes them again. */
export const previewPortLimitReached = (limit: number) =>
  new Conflict(
    `${limit} ports of the workspace have a host of their own (limit ${limit}). Use one of these ports, or open the port by its path at workspaceUrl.`,
    { code: 'PREVIEW_PORT_LIMIT_REACHED' },
  );

/** A request through a chat session needs a running workspace. */
export const workspaceNotRunning = (state: string) =>
  new InvalidRequest(
    'Workspace of the session is not running. Restart the workspace first.',
    [{ field: 'sessionId', message: `Workspace of the session is ${state}.` }],
    'WORKSPACE_NOT_RUNNING',
  );

/** Its node restores the snapshot. `field` names the workspace in the request. */
export const workspaceWaking = (field: 'sessionId' | 'workspaceId') =>
  new InvalidRequest(
    'The workspace is being restored. Try again when it is awake.',
    [{ field, message: 'The workspace is being restored.' }],
    'WORKSPACE_NOT_RUNNING',
  );

/** A stop or deletion interrupted provisioning. The saga undoes its work; users see no error. */
export class WorkspaceStopped extends Conflict {
  override readonly name = 'WorkspaceStopped';

  constructor(readonly workspaceId: string) {
    super('Workspace was stopped during provisioning.');
  }
}

/** The caller belongs to an earlier generation of the workspace. */
export class StaleGeneration extends Gone {
  override readonly name = 'StaleGeneration';

  constructor(
    readonly workspaceId: string,
    readonly generation: number,
  ) {
    super('Token belongs to an earlier generation of the workspace, or the workspace is deleted.');
  }
}

type DeletionRejection = 'workspace_missing' | 'workspace_assignment_changed' | 'workspace_active';

/** The workspace changed after the caller read it and before the deletion was claimed. */
export class DeletionRejected extends Conflict {
  override readonly name = 'DeletionRejected';

  constructor(
    readonly workspaceId: string,
    readonly reason: DeletionRejection,
  ) {
    super(
      `Workspace changed before the deletion started (${reason}). Read the workspace again before you delete it.`,
    );
  }
}

/** The node has not confirmed that the workspace is gone. */
export const deletionUnconfirmed = (reason: string) =>
  new Conflict(`The deletion is not confirmed: ${reason}`);

/** No slot is free: the workspace waits, and PlaceWorkspace is retried. */
export class NodeLimitReached extends Conflict {
  override readonly name = 'NodeLimitReached';
  /** Why the workspace waits. */
  readonly reason: string;
  /** Place in the queue of its owner, from 1. */
  readonly queuePosition: number;
  /** Why no node was taken; the waiting workspace shows it. */
  explanation?: PlacementExplanation;

  constructor({ reason, advice, code = 'NODE_LIMIT_REACHED', queuePosition = 1 }: FullFleet) {
    super(`${reason} ${advice}`, { code });
    this.reason = reason;
    this.queuePosition = queuePosition;
  }
}

interface FullFleet {
  readonly reason: string;
  /** What to do when the wait has ended without a slot. */
  readonly advice: string;
  readonly code?: string;
  readonly queuePosition?: number;
}

export const nodeLimitReached = (limit: number, queuePosition?: number) =>
  new NodeLimitReached({
    reason: `All of your ${limit} nodes are full or do not answer (limit ${limit}).`,
    advice: 'Stop a workspace or delete a node, then create the workspace again.',
    ...(queuePosition === undefined ? {} : { queuePosition }),
  });

export const deploymentNodeLimitReached = (limit: number) =>
  new NodeLimitReached({
    reason: `This deployment has ${limit} nodes (limit ${limit}, setting maxNodes).`,
    advice: 'Create the workspace again after a node is removed, or ask an operator to raise the limit.',
    code: 'DEPLOYMENT_NODE_LIMIT_REACHED',
  });

/** `until`: EC2 is asked again at the earliest then. */
export const launchesPaused = (types: readonly string[], { until, code }: Cooldown) =>
  new NodeLimitReached({
    reason: `${pauseReasons[code] ?? `EC2 has no ${types.join(' or ')} at present`}. The next node is launched after ${until.slice(11, 16)} UTC.`,
    advice:
      'Create the workspace again later, or ask an operator to check the capacity and quotas of the AWS account.',
    code: 'NODE_LAUNCH_PAUSED',
  });

const pauseReasons: Readonly<Record<string, string>> = {
  RequestLimitExceeded: 'EC2 throttles the requests of the AWS account',
  VcpuLimitExceeded: 'The vCPU quota of the AWS account is used up',
  InstanceLimitExceeded: 'The instance quota of the AWS account is used up',
};

export const requestedNodeFull = (name: string) =>
  new NodeLimitReached({
    reason: `Requested node ${name} is full or does not answer.`,
    advice: 'Stop a workspace on this node, or leave out nodeId.',
  });

/** The requested node accepts no workspaces. Users see the message. */
export class RequestedNodeUnavailable extends Conflict {
  override readonly name = 'RequestedNodeUnavailable';

  constructor(name?: string) {
    const node = name === undefined ? 'Requested node' : `Requested node ${name}`;
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

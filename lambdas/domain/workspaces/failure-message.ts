import { messageOfCause } from '../sagas/saga-steps.js';

/** A failed step as a state machine reports it: `cause` is text, or the JSON of a Lambda error. */
export interface StepError {
  readonly step: string;
  readonly error: string;
  readonly cause: string;
}

/** Errors whose message is written for the person. */
const shownErrors: readonly string[] = [
  'NodeGone',
  'NodeLimitReached',
  'NodeRefused',
  'NodeUnreachable',
  'ProvisioningFailed',
  'RequestedNodeUnavailable',
  'RestoreFailed',
  'SnapshotMissing',
];

type Sentence = (time: string) => string;

const timeouts: Readonly<Record<string, Sentence>> = {
  LaunchNode: (time) =>
    `The node did not report ready within ${time}, so its instance is being terminated. Create the workspace again. If that fails too, ask the operator to check that the node image boots and that nodes can reach the control plane.`,
  RestoreOnNode: (time) =>
    `The node did not restore the workspace within ${time}. The snapshot is kept. Send a message to try again.`,
  CreateOnNode: (time) =>
    `The node did not finish the workspace within ${time}, so the workspace was removed from it. Read the boot log for the last step, then create the workspace again.`,
};

const silences: Readonly<Record<string, Sentence>> = {
  LaunchNode: (time) =>
    `The machine of the node did not start within ${time} and is being terminated. Create the workspace again. If that fails too, ask the operator to check that the node image boots and that nodes can reach the control plane.`,
  RestoreOnNode: (time) =>
    `The node reported nothing for ${time} while it restored the workspace. The snapshot is kept. Send a message to try again.`,
  CreateOnNode: (time) =>
    `The node reported nothing for ${time} while it made the workspace. Read the boot log for the last step, then create the workspace again.`,
};

/** Time-outs and heartbeat times of the waiting steps, in seconds. */
interface Bounds {
  readonly timeouts: Readonly<Record<string, number>>;
  readonly heartbeats: Readonly<Record<string, number>>;
}

/** The message for the person: why provisioning failed, and what to do. */
export function failureMessage({ step, error, cause }: StepError, bounds: Bounds): string {
  const lateness = error === 'States.Timeout' ? timeouts[step]?.(spell(bounds.timeouts[step])) : undefined;
  const silence =
    error === 'States.HeartbeatTimeout' ? silences[step]?.(spell(bounds.heartbeats[step])) : undefined;
  const overdue = lateness ?? silence;
  if (overdue) return overdue;
  const message = messageOfCause(cause);
  if (shownErrors.includes(error) && message) return message;
  if (error === 'NodeNotReady') {
    return 'The node that the workspace waited for was not ready within half an hour. Create the workspace again.';
  }
  if (step === 'LaunchNode') {
    return `EC2 could not start an instance for the node (${error}). Ask the operator to check the quotas and capacity of the account, then create the workspace again.`;
  }
  return 'Provisioning failed because of an internal error. Create the workspace again. If that fails too, ask the operator to read the logs.';
}

function spell(seconds = 60): string {
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}

import { messageOf } from '../sagas/message-of.js';

/** How a state machine tells of a step that failed: its error's name, and text or the JSON of a Lambda error. */
export interface StepError {
  readonly step: string;
  readonly error: string;
  readonly cause: string;
}

/** Errors whose own message is meant for the person. */
const speaking: readonly string[] = [
  'NodeGone',
  'NodeLimitReached',
  'NodeRefused',
  'NodeUnreachable',
  'ProvisioningFailed',
  'WantedNodeUnavailable',
];

type Sentence = (time: string) => string;

const timeouts: Readonly<Record<string, Sentence>> = {
  LaunchNode: (time) =>
    `The node did not report ready within ${time}; its instance is being terminated. Create the workspace again; if that fails too, check that the node image boots and that nodes can reach the control plane.`,
  CreateOnNode: (time) =>
    `The node did not finish the workspace within ${time}; it was removed from the node. The boot log shows how far it came. Create the workspace again.`,
};

const silences: Readonly<Record<string, Sentence>> = {
  LaunchNode: (time) =>
    `The machine of the node did not come up within ${time}; it is being terminated. Create the workspace again; if that fails too, check that the node image boots and that nodes can reach the control plane.`,
  CreateOnNode: (time) =>
    `The node fell silent for ${time} while it made the workspace. The boot log shows how far it came. Create the workspace again.`,
};

/** How long the steps that wait may take, and may be silent, in seconds. */
export interface Bounds {
  readonly timeouts: Readonly<Record<string, number>>;
  readonly heartbeats: Readonly<Record<string, number>>;
}

/** What the person is told about a failed provisioning: what happened, and what they can do. */
export function failureMessage({ step, error, cause }: StepError, bounds: Bounds): string {
  const lateness = error === 'States.Timeout' ? timeouts[step]?.(spell(bounds.timeouts[step])) : undefined;
  const silence =
    error === 'States.HeartbeatTimeout' ? silences[step]?.(spell(bounds.heartbeats[step])) : undefined;
  const overdue = lateness ?? silence;
  if (overdue) return overdue;
  const message = messageOf(cause);
  if (speaking.includes(error) && message) return message;
  if (step === 'LaunchNode') {
    return `EC2 could not start an instance for the node (${error}). Check the account's limits and capacity, then create the workspace again.`;
  }
  return 'Provisioning failed because of an internal error. Create the workspace again; if that fails too, ask the operator to look at the logs.';
}

function spell(seconds = 60): string {
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}

import { messageOfCause } from '../sagas/saga-steps.js';

/** A prompt, a stop or a deletion came first. */
const cancellations: readonly string[] = ['SleepCancelled', 'WorkspaceStopped'];

const texts: Readonly<Record<string, string>> = {
  'States.HeartbeatTimeout': 'The node reported no progress of the capture for 2 minutes.',
  'States.Timeout': 'The capture took longer than 15 minutes.',
  ChangedSinceSnapshot: 'Files or agent sessions of the workspace changed after the capture.',
  NodeUnreachable: 'The node of the workspace does not answer.',
};

/** Why a step of the saga failed, for a person. */
export const sleepFailureMessage = (error: string, cause: string) => ({
  message: texts[error] ?? (messageOfCause(cause) || error),
  isCancelled: cancellations.includes(error),
});

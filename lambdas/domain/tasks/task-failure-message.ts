import { messageOf } from '../sagas/message-of.js';
import type { StepError } from '../workspaces/failure-message.js';

/** Errors whose own message is meant for the person. */
const speaking: readonly string[] = [
  'AccountSuspended',
  'AttachmentMissing',
  'CodeHostAccessLost',
  'CodeHostUnavailable',
  'FirstPromptNotDelivered',
  'NodeRefused',
  'NodeUnreachable',
  'WorkspaceNotMade',
];

/** What the person is told about an execution that failed: what happened, and what they can do. */
export function taskFailureMessage({ step, error, cause }: StepError): string {
  const message = messageOf(cause);
  if (speaking.includes(error) && message) return message;
  // The code host's word for what this person cannot see.
  if (step === 'CreateWorkspace' && error === 'NotFound')
    return `${message}: the repository of the project is gone, or you cannot see it any more. Check it on the code host, then run the task again.`;
  if (error === 'States.Timeout')
    return 'A step of the execution took too long. Run the task again; if that fails too, ask the operator to look at the logs.';
  return 'The execution failed because of an internal error. Run the task again; if that fails too, ask the operator to look at the logs.';
}

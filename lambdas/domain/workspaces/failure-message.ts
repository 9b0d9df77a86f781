import * as z from 'zod/mini';

/** How a state machine tells of a step that failed: its error's name, and text or the JSON of a Lambda error. */
export interface StepError {
  readonly step: string;
  readonly error: string;
  readonly cause: string;
}

const LambdaError = z.object({ errorMessage: z.string() });

/** Errors whose own message is meant for the person. */
const speaking: readonly string[] = [
  'NodeGone',
  'NodeLimitReached',
  'NodeRefused',
  'NodeUnreachable',
  'ProvisioningFailed',
];

const timeouts: Readonly<Record<string, (minutes: number) => string>> = {
  LaunchNode: (minutes) =>
    `The node did not report ready within ${minutes} minutes; its instance is being terminated. Create the workspace again; if that fails too, check that the node image boots and that nodes can reach the control plane.`,
  CreateOnNode: (minutes) =>
    `The node did not finish the workspace within ${minutes} minutes; it was removed from the node. The boot log shows how far it came. Create the workspace again.`,
};

/** What the person is told about a failed provisioning: what happened, and what they can do. */
export function failureMessage(
  { step, error, cause }: StepError,
  timeoutSeconds: Readonly<Record<string, number>>,
): string {
  const timeout = timeouts[step];
  if (error === 'States.Timeout' && timeout) {
    return timeout(Math.max(1, Math.round((timeoutSeconds[step] ?? 60) / 60)));
  }
  const message = messageOf(cause);
  if (speaking.includes(error) && message) return message;
  if (step === 'LaunchNode') {
    return `EC2 could not start an instance for the node (${error}). Check the account's limits and capacity, then create the workspace again.`;
  }
  return 'Provisioning failed because of an internal error. Create the workspace again; if that fails too, ask the operator to look at the logs.';
}

function messageOf(cause: string): string {
  try {
    const parsed = LambdaError.safeParse(JSON.parse(cause));
    return parsed.success ? parsed.data.errorMessage : cause;
  } catch {
    return cause;
  }
}

/** The state machines, in deployment order: a saga follows those that its steps start. */
export const sagaNames = [
  'end-session',
  'remove-node',
  'stop-workspace',
  'delete-workspace',
  'sleep-workspace',
  'provision-workspace',
  'end-run',
  'run-task',
  'end-membership',
] as const;
export type SagaName = (typeof sagaNames)[number];

/** The environment variable in which a function finds the ARN of a saga that it may start. */
export const sagaArnVariable = (saga: SagaName) => `${saga.replaceAll('-', '_').toUpperCase()}_ARN`;

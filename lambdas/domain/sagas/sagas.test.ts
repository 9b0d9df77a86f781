import { ExecutionAlreadyExists, type SFNClient, type StartExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, it } from 'vitest';
import { Sagas } from './sagas.js';

const task = { projectId: 'p', taskId: 't', run: 2 };

/** Step Functions, with executions by name. */
function startingSagas() {
  const executions = new Map<string, unknown>();
  const send = async ({ input: { stateMachineArn, name = '', input } }: StartExecutionCommand) => {
    if (executions.has(name)) throw new ExecutionAlreadyExists({ message: 'exists', $metadata: {} });
    executions.set(name, { stateMachineArn, input: JSON.parse(input ?? '') });
  };
  // Of the client only this is called.
  const client = { send } as unknown as SFNClient;
  return { sagas: new Sagas(client, { 'run-task': 'arn:run-task' }), executions };
}

it('starts one execution of each run of a task, whoever starts it again', async () => {
  const { sagas, executions } = startingSagas();

  expect(await sagas.startRunTask(task)).toBe(true);
  expect(await sagas.startRunTask(task)).toBe(false);
  expect([...executions]).toEqual([['t-2-run', { stateMachineArn: 'arn:run-task', input: task }]]);
});

it('refuses a saga for which the function has no grant', async () => {
  const { sagas } = startingSagas();
  await expect(sagas.startEndRun({ ...task, attempt: 0 })).rejects.toThrow('no grant saga:end-run');
});

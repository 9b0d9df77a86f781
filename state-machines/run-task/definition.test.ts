import { describe, expect, it } from 'vitest';
import { load, stateOf, successorsOf, tasksAfterFailureOf } from '../testing.js';

describe('run-task', () => {
  const definition = load('run-task');

  it.each(['CreateWorkspace', 'CheckWorkspace', 'TransferAttachment', 'CreateAgentSession', 'DeliverPrompt'])(
    'names the failure of %s on the task',
    (failed) => {
      expect(tasksAfterFailureOf(definition, failed)).toEqual({
        tasks: ['FailTask'],
        end: 'ExecutionFailed',
      });
    },
  );

  it('is no failure when the task has ended', () => {
    const choices = { WasEnded: 'TaskHasEnded' };

    expect(tasksAfterFailureOf(definition, 'CreateAgentSession', { choices }).end).toBe('TaskHasEnded');
  });

  it('asks the workspace itself, however its provisioning has ended', () => {
    expect(new Set(successorsOf(stateOf(definition, 'ProvisionWorkspace')))).toEqual(
      new Set(['CheckWorkspace']),
    );
    expect(stateOf(definition, 'WaitForWorkspace').Next).toBe('CheckWorkspace');
  });

  it('does not repeat what the person or the repository must change first', () => {
    const [never] = stateOf(definition, 'CreateWorkspace').Retry ?? [];
    const errors = ['NotFound', 'CodeHostAccessLost', 'HostRequirementsTooLarge'];
    expect(never).toMatchObject({ MaxAttempts: 0, ErrorEquals: expect.arrayContaining(errors) });
  });

  it('repeats no step of an execution that has ended', () => {
    for (const name of [
      'CreateWorkspace',
      'CheckWorkspace',
      'TransferAttachment',
      'CreateAgentSession',
      'DeliverPrompt',
    ]) {
      const [never] = stateOf(definition, name).Retry ?? [];
      expect(never).toMatchObject({ MaxAttempts: 0, ErrorEquals: expect.arrayContaining(['TaskEnded']) });
    }
  });
});

import { describe, expect, it } from 'vitest';
import { load, stateOf, tasksAfterFailureOf } from '../testing.js';

describe('provision-workspace', () => {
  const definition = load('provision-workspace');
  const dispatched = { NeedsUndo: 'RemoveFromNode' };

  it.each([
    ['PlaceWorkspace', {}, ['MarkErrored', 'ReleaseWorkspace', 'TerminateNode']],
    ['LaunchNode', {}, ['MarkErrored', 'ReleaseWorkspace', 'TerminateNode']],
    ['RegisterNode', {}, ['MarkErrored', 'ReleaseWorkspace', 'TerminateNode']],
    ['CreateOnNode', {}, ['MarkErrored', 'ReleaseWorkspace', 'TerminateNode']],
    ['RestoreOnNode', dispatched, ['MarkErrored', 'RemoveFromNode', 'ReleaseWorkspace', 'TerminateNode']],
    ['CreateOnNode', dispatched, ['MarkErrored', 'RemoveFromNode', 'ReleaseWorkspace', 'TerminateNode']],
  ])('undoes what was done before %s failed', (failed, choices, undone) => {
    expect(tasksAfterFailureOf(definition, failed, { choices })).toEqual({
      tasks: undone,
      end: 'ProvisioningFailed',
    });
  });

  it('undoes nothing of a workspace that runs after all', () => {
    const choices = { NeedsUndo: 'WorkspaceRuns' };

    expect(tasksAfterFailureOf(definition, 'CreateOnNode', { choices })).toEqual({
      tasks: ['MarkErrored'],
      end: 'WorkspaceRuns',
    });
  });

  it('is no failure when the person has stopped the workspace', () => {
    const choices = { ...dispatched, WhyUndone: 'StoppedByPerson' };

    expect(tasksAfterFailureOf(definition, 'CreateOnNode', { choices }).end).toBe('StoppedByPerson');
    expect(stateOf(definition, 'StoppedByPerson').Type).toBe('Succeed');
  });

  it('goes on with the rest of the undo when a part of it fails', () => {
    expect(tasksAfterFailureOf(definition, 'RemoveFromNode', { failing: true })).toEqual({
      tasks: ['ReleaseWorkspace', 'TerminateNode'],
      end: 'ProvisioningFailed',
    });
  });

  it('undoes nothing when the sessions of a restarted workspace cannot be resumed', () => {
    expect(tasksAfterFailureOf(definition, 'ResumeSessions')).toEqual({ tasks: [], end: 'WorkspaceRuns' });
  });

  it('undoes nothing without the fence', () => {
    expect(tasksAfterFailureOf(definition, 'MarkErrored').tasks).toEqual([]);
  });

  it('retries an undo for longer than what it undoes', () => {
    // To wait for room is not to repeat what has failed.
    const most = (name: string) =>
      Math.max(
        ...(stateOf(definition, name).Retry ?? [])
          .filter(
            ({ ErrorEquals }) => !ErrorEquals.includes('NoRoomYet') && !ErrorEquals.includes('NodeNotReady'),
          )
          .map(({ MaxAttempts }) => MaxAttempts),
      );

    expect(most('RemoveFromNode')).toBeGreaterThan(most('CreateOnNode'));
    expect(most('TerminateNode')).toBeGreaterThan(most('LaunchNode'));
    expect(most('ReleaseWorkspace')).toBeGreaterThan(most('PlaceWorkspace'));
  });

  it('places a workspace again when the node that it waits for is removed', () => {
    const { Catch, Retry } = stateOf(definition, 'RegisterNode');

    expect(Catch?.[0]).toMatchObject({ ErrorEquals: ['NodeGone'], Next: 'WasJoining' });
    expect(tasksAfterFailureOf(definition, 'RegisterNode').tasks[0]).toBe('MarkErrored');
    expect(stateOf(definition, 'UnplaceWorkspace').Next).toBe('PlaceWorkspace');
    expect(Retry?.find(({ ErrorEquals }) => ErrorEquals.includes('NodeNotReady'))).toBeDefined();
  });

  it('places a workspace again when EC2 refuses its node, after the node is removed', () => {
    const { Catch, Retry } = stateOf(definition, 'LaunchNode');

    expect(Retry?.[0]?.ErrorEquals).toContain('NodeLaunchRefused');
    expect(Catch?.[1]).toMatchObject({ ErrorEquals: ['NodeLaunchRefused'], Next: 'TerminateNode' });
    expect(stateOf(definition, 'WhyUndone').Choices?.[0]).toEqual({
      Condition: "{% $failure.error = 'NodeLaunchRefused' %}",
      Next: 'UnplaceWorkspace',
    });
  });

  it.each([
    ['LaunchNode', 'NodeAlreadyReady', 'RegisterNode'],
    ['CreateOnNode', 'WorkspaceAlreadyReady', 'IsWaking'],
    ['RestoreOnNode', 'AlreadyRestored', 'WorkspaceRuns'],
  ])('goes on from %s when there is nothing to wait for', (name, error, next) => {
    const first = stateOf(definition, name).Catch?.[0];

    expect(first).toMatchObject({ ErrorEquals: [error], Next: next });
  });
});

import { describe, expect, it } from 'vitest';
import { load, stateOf, tasksAfterFailureOf } from '../testing.js';

describe('sleep-workspace', () => {
  const definition = load('sleep-workspace');

  it.each(['Capture', 'VerifySnapshot', 'VerifyRecoveryPoint', 'BeginSleep'])(
    'keeps the workspace running when %s fails',
    (failed) => {
      expect(tasksAfterFailureOf(definition, failed)).toEqual({ tasks: ['FailSleep'], end: 'WorkspaceRuns' });
    },
  );

  it('sleeps on the recovery point when the failure says so', () => {
    const choices = { FallsBack: 'VerifyRecoveryPoint' };
    expect(tasksAfterFailureOf(definition, 'Capture', { choices })).toEqual({
      tasks: ['FailSleep', 'VerifyRecoveryPoint', 'BeginSleep', 'StopUnchanged', 'EndSleep'],
      end: 'WorkspaceSleeps',
    });
  });

  it('ends the sleep without the confirmation of a node that does not answer', () => {
    expect(tasksAfterFailureOf(definition, 'StopUnchanged')).toEqual({
      tasks: ['EndSleep'],
      end: 'WorkspaceSleeps',
    });
  });

  it('runs the workspace again when something changed since the capture', () => {
    const choices = { FallsBack: 'BeginSleep', HasChanged: 'KeepRunning' };
    expect(stateOf(definition, 'HasChanged').Choices?.[0]?.Next).toBe(choices.HasChanged);
    expect(stateOf(definition, 'KeepRunning').Next).toBe('FailSleep');
  });

  it('gives up a capture without progress for 2 minutes, and any after 15', () => {
    expect(stateOf(definition, 'Capture')).toMatchObject({ HeartbeatSeconds: 120, TimeoutSeconds: 900 });
  });

  it('stops nothing before the snapshot is verified', () => {
    expect(stateOf(definition, 'Capture').Next).toBe('VerifySnapshot');
    expect(stateOf(definition, 'VerifySnapshot').Next).toBe('BeginSleep');
    expect(stateOf(definition, 'BeginSleep').Next).toBe('StopUnchanged');
  });
});

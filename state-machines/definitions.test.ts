import { describe, expect, it } from 'vitest';
import { sagaNames } from '../lambdas/saga-names.js';
import { steps } from '../lambdas/sagas/steps.js';
import { load, reachableFrom } from './testing.js';

const stateName = (step: string) =>
  step.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe.each(sagaNames)('%s', (saga) => {
  const definition = load(saga);
  const all = Object.entries(definition.States).filter(([, { Type }]) => Type === 'Task');
  const tasks = all.filter(([, { Resource }]) => !Resource?.includes(':states:startExecution'));

  it('has a task for every step of the table and no other', () => {
    const declared = steps.filter((step) => step.saga === saga).map(({ name }) => stateName(name));

    expect(tasks.map(([name]) => name).toSorted()).toEqual(declared.toSorted());
    for (const [name, { Arguments }] of tasks) expect(Arguments?.FunctionName).toBe(`\${${name}}`);
  });

  it('bounds, retries and catches every task', () => {
    for (const [, task] of tasks) {
      expect(task.TimeoutSeconds).toSatisfy(
        (bound) => Number(bound) > 60 || /^\$\{\w+Seconds\}$/.test(String(bound)),
        'longer than the time-out of the step function, or a setting',
      );
      expect(task.Retry?.some(({ MaxAttempts }) => MaxAttempts > 0)).toBe(true);
      expect(task.Catch?.at(-1)?.ErrorEquals).toEqual(['States.ALL']);
    }
  });

  it('bounds and catches every saga that it runs as a part', () => {
    for (const [, part] of all.filter((task) => !tasks.includes(task))) {
      expect(Number(part.TimeoutSeconds)).toBeGreaterThan(0);
      expect(part.Catch?.at(-1)?.ErrorEquals).toEqual(['States.ALL']);
    }
  });

  it('takes no longer between attempts than a person would wait', () => {
    const retries = tasks.flatMap(([, { Retry = [] }]) => Retry).filter(({ MaxAttempts }) => MaxAttempts > 0);

    for (const retry of retries) expect(retry.MaxDelaySeconds).toBeLessThanOrEqual(300);
  });

  it('reaches every state, and ends', () => {
    const reachable = reachableFrom(definition, definition.StartAt);

    expect([...reachable].toSorted()).toEqual(Object.keys(definition.States).toSorted());
    expect(Object.values(definition.States).some(({ Type }) => Type === 'Succeed')).toBe(true);
  });

  it('is written in JSONata', () => {
    expect(definition.QueryLanguage).toBe('JSONata');
  });

  it('has a heartbeat on just the tasks that wait for a callback, and does not repeat one that fell silent', () => {
    for (const [, { Resource, HeartbeatSeconds, Retry }] of tasks) {
      const waits = Resource?.endsWith('.waitForTaskToken') === true;
      expect(HeartbeatSeconds !== undefined).toBe(waits);
      if (!waits) continue;
      expect(Retry?.[0]).toMatchObject({ MaxAttempts: 0 });
      expect(Retry?.[0]?.ErrorEquals).toContain('States.HeartbeatTimeout');
    }
  });

  it('hands a task token to just the tasks that wait for one', () => {
    for (const [, { Resource, Arguments }] of tasks) {
      expect(Resource?.endsWith('.waitForTaskToken')).toBe('taskToken' in (Arguments?.Payload ?? {}));
    }
  });
});

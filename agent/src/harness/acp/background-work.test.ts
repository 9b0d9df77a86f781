import { expect, it } from 'vitest';
import { backgroundTasksIn } from './background-work.js';

const limits = { maxBytes: 1_000, maxTasks: 3, maxIdBytes: 8 };
const changed = (...ids: unknown[]) => ({
  sessionId: 'acp',
  message: {
    type: 'system',
    subtype: 'background_tasks_changed',
    tasks: ids.map((task_id) => ({ task_id, description: 'make -j4' })),
  },
});

it.each([
  ['no task', changed(), 0],
  ['two tasks', changed('a', 'b'), 2],
  ['a repeated task', changed('a', 'a'), 1],
  ['more tasks than the limit', changed('a', 'b', 'c', 'd'), 3],
  ['a task with a long id', changed('a', 'é'.repeat(5)), 1],
  ['a notification over the limit', changed('a', 'x'.repeat(1_000)), null],
  ['a task without an id', changed('a', 7), null],
  ['another message', { message: { type: 'system', subtype: 'task_started', task_id: 'a' } }, null],
  ['no object', null, null],
  ['nothing', undefined, null],
])('counts the tasks of a notification with %s', (_, params, count) => {
  expect(backgroundTasksIn(params, limits)).toBe(count);
});

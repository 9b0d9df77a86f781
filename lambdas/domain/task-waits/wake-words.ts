import type { TaskWait } from './task-wait.js';

/** What an agent is woken with: ids and states and nothing that another agent has written. */
export function wakeWords({ waitKey, resolution, taskIds, statuses }: TaskWait): string {
  const told =
    resolution === 'deadline_reached'
      ? `The time of your wait "${waitKey}" is over (deadline_reached).`
      : `Your wait "${waitKey}" is over (condition_met).`;
  const states = taskIds.map((taskId, index) => `- ${taskId}: ${statuses?.[index] ?? 'deleted'}`);
  return [told, ...states, 'Call get_task_details for what they have done.'].join('\n');
}

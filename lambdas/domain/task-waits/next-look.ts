import type { TaskWait } from './task-wait.js';

/** A wait whose bell was lost is looked at after so long. */
const lookEveryMs = 5 * 60_000;

export const nextLook = ({ wakeDeadline }: Pick<TaskWait, 'wakeDeadline'>, now: Date): Date =>
  new Date(Math.min(Date.parse(wakeDeadline), now.getTime() + lookEveryMs));

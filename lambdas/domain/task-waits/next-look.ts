import type { TaskWait } from './task-wait.js';

/** A wait whose wake-up was lost is checked after this time. */
const lookEveryMs = 5 * 60_000;

export const nextLook = ({ wakeDeadline }: Pick<TaskWait, 'wakeDeadline'>, now: Date): Date =>
  new Date(Math.min(Date.parse(wakeDeadline), now.getTime() + lookEveryMs));

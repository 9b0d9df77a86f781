import { setTimeout as wait } from 'node:timers/promises';

/** Whether it becomes true in this time. */
export async function comes(is: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!(await is())) {
    if (Date.now() > deadline) return false;
    await wait(10);
  }
  return true;
}

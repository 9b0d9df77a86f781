/** Ends a program that was started with a process group of its own, and all that it has started in there. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left of it.
  }
}

const pollMs = 500;

/** Calls back when the parent process has ended: a laptop node must not outlive its cloud. */
export function onParentExit(onGone: () => void): Disposable {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, pollMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

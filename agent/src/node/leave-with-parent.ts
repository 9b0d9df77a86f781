const pollMs = 500;

/** Calls back once the process that started this one is gone; for laptop nodes, which must not outlive their cloud. */
export function onParentExit(onGone: () => void): Disposable {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, pollMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

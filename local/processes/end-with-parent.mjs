// Preloaded into tools that the laptop cloud runs. Their standard input is a pipe that this
// checkout's own process holds open: when it closes, that process is gone, and the tool's whole
// group has nobody left to work for.
process.stdin.once('end', () => {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(1); // Not the leader of its group, as a worker that the tool forked.
  }
});
process.stdin.on('error', () => undefined);
process.stdin.resume();
process.stdin.unref?.();

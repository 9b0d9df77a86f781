const tones: Readonly<Record<string, string>> = {
  running: 'good',
  healthy: 'good',
  active: 'good',
  recovering: 'warn',
  stale: 'warn',
  evicted: 'warn',
  degraded: 'warn',
  suspended: 'bad',
  errored: 'bad',
  unhealthy: 'bad',
  pending: 'busy',
  provisioning: 'busy',
  stopping: 'busy',
  rebuilding: 'busy',
  deleting: 'busy',
};

const words: Readonly<Record<string, string>> = { sleeping: 'asleep' };

/** The colour only repeats the word. */
export const badgeOf = (status: string) => ({
  className: `badge ${tones[status] ?? 'quiet'}`,
  text: words[status] ?? status,
});

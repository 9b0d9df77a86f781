import { h } from './dom.js';

const tones: Readonly<Record<string, string>> = {
  running: 'good',
  healthy: 'good',
  recovering: 'warn',
  stale: 'warn',
  evicted: 'warn',
  errored: 'bad',
  unhealthy: 'bad',
  pending: 'busy',
  provisioning: 'busy',
  stopping: 'busy',
  rebuilding: 'busy',
  deleting: 'busy',
};

/** A status in its own word; the colour only repeats it. */
export const statusBadge = (status: string): HTMLElement =>
  h('span', { class: `badge ${tones[status] ?? 'quiet'}` }, status);

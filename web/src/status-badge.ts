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

const words: Readonly<Record<string, string>> = { sleeping: 'asleep' };

/** The colour only repeats the word. */
export const statusBadge = (status: string): HTMLElement =>
  h('span', { class: `badge ${tones[status] ?? 'quiet'}` }, words[status] ?? status);

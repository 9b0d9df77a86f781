import type { EvictionReason } from '../../../protocol/eviction.js';

/** Why the sessions and turns of an evicted workspace ended. */
export const evictionText: Readonly<Record<EvictionReason, string>> = {
  memory_pressure: 'workspace evicted due to memory pressure',
  oom_kill: 'workspace evicted after container OOM',
};

/** `errorCode` of a turn, and of its receipt, that an eviction ended. */
export const evictedCode = 'workspace_evicted';

export function isEvictionReason(text: string): text is EvictionReason {
  return Object.hasOwn(evictionText, text);
}

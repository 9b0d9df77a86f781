import type { Change } from '../records/changes.js';
import { maxQueuedPrompts } from './prompt.js';

/** Counts the prompts of a project that are not settled, in one item for all its chats. */
const projectQueueKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });

/** Counts one more; refused when there are as many as there may be. */
export const countIn = (projectId: string): Change => ({
  key: projectQueueKey(projectId),
  set: { entity: 'prompt-queue', schemaVersion: 1 },
  add: { queuedPrompts: 1 },
  when: { absentOrBefore: { queuedPrompts: maxQueuedPrompts } },
});

export const countOut = (projectId: string): Change => ({
  key: projectQueueKey(projectId),
  add: { queuedPrompts: -1 },
  when: { exists: true },
});

import type { Write } from '../records/transact.js';
import { maxQueuedPrompts, type Prompt } from './prompt.js';

type InProject = Pick<Prompt, 'projectId'>;

/** Counts the prompts of a project that wait behind others, in one item for all its chats. */
const projectQueueKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });

/** Counts one more; refused when there are as many as there may be. */
export const countIn = ({ projectId }: InProject): Write => ({
  update: {
    ...oneMore(projectId),
    when: { absentOrBefore: { queuedPrompts: maxQueuedPrompts } },
  },
});

/** The same of one that was taken on before, and has been overtaken: no limit keeps it out. */
export const countOvertaken = ({ projectId }: InProject): Write => ({
  update: { ...oneMore(projectId), when: {} },
});

/** One that was counted is not in the queue any more. */
export const countOut = ({ projectId }: InProject): Write => ({
  update: { key: projectQueueKey(projectId), add: { queuedPrompts: -1 }, when: { exists: true } },
});

const oneMore = (projectId: string) => ({
  key: projectQueueKey(projectId),
  set: { entity: 'prompt-queue', schemaVersion: 1 },
  add: { queuedPrompts: 1 },
});

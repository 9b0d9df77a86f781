import type { Change } from '../records/changes.js';
import type { Write } from '../records/transact.js';
import { maxQueuedPrompts, type Prompt } from './prompt.js';

type Counted = Pick<Prompt, 'projectId' | 'isCounted'>;

/** Counts the prompts of a project that wait behind others, in one item for all its chats. */
const projectQueueKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });

/** Counts one more, if it is to be counted; refused when there are as many as there may be. */
export const countIn = ({ projectId, isCounted }: Counted): readonly Write[] =>
  count(isCounted, {
    key: projectQueueKey(projectId),
    set: { entity: 'prompt-queue', schemaVersion: 1 },
    add: { queuedPrompts: 1 },
    when: { absentOrBefore: { queuedPrompts: maxQueuedPrompts } },
  });

/** One that was counted is not in the queue any more. */
export const countOut = ({ projectId, isCounted }: Counted): readonly Write[] =>
  count(isCounted, {
    key: projectQueueKey(projectId),
    add: { queuedPrompts: -1 },
    when: { exists: true },
  });

const count = (isCounted: boolean, update: Change): readonly Write[] => (isCounted ? [{ update }] : []);

import type { Write } from '../records/transact.js';
import { promptMove } from './move-prompt.js';
import { countOvertaken } from './project-queue.js';
import type { Prompt } from './prompt.js';
import { notSwept, waitingItem } from './waiting-prompt.js';

/**
 * Puts the prompt that waits alone into the queue, from how it was read: another one of its chat is delivered before it. Who
 * is about to deliver it meets another version, or the chat that delivers the other one.
 */
export const overtakeLone = (lone: Prompt, now: Date): readonly Write[] => [
  promptMove(lone, { isLone: null, ...notSwept }, now),
  { put: waitingItem(lone), when: { exists: false } },
  countOvertaken(lone),
];

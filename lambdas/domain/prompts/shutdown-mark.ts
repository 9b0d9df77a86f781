import type { Write } from '../records/transact.js';
import type { Prompt } from './prompt.js';
import { dueSk, waitingEverywhere } from './waiting-prompt.js';

const markKey = (chatId: string) => ({ pk: `CHAT#${chatId}`, sk: 'SHUTDOWN' });

/** Of a chat that ends with a prompt, until its end has begun: the sweep rings for it. */
export const shutdownMark = ({ chatId, deliveryId, createdAt }: Prompt): Write => ({
  put: {
    ...markKey(chatId),
    entity: 'waiting-prompt',
    schemaVersion: 1,
    parentPk: waitingEverywhere,
    parentSk: dueSk(createdAt, deliveryId),
    ...{ chatId, deliveryId },
  },
  when: {},
});

export const shutdownDone = (chatId: string): Write => ({ delete: markKey(chatId), when: {} });

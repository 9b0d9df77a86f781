// Every minute: ends waits for tasks whose time is over, and rings for chats whose bells were lost
import { ringAgain } from '../domain/prompts/bell.js';
import { listDueChats } from '../domain/prompts/list-due-chats.js';
import { bells } from '../edge/bells.js';
import { scheduled } from '../edge/consumer.js';
import { sweepWaits } from './sweep-waits.js';

export const handler = scheduled(async ({ table, now, log }) => {
  await sweepWaits({ table, bells, now, log });
  await ringAgain(bells, await listDueChats(table, now));
});

// Every minute: rings for chats whose bells were lost
import { ringAgain } from '../domain/prompts/bell.js';
import { listDueChats } from '../domain/prompts/list-due-chats.js';
import { bells } from '../edge/bells.js';
import { scheduled } from '../edge/consumer.js';

export const handler = scheduled(async ({ table, now }) => {
  await ringAgain(bells, await listDueChats(table, now));
});

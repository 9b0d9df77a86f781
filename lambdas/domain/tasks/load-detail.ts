import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { joinFragments } from '../chats/join-fragments.js';
import { Message, messageKey } from '../chats/message.js';
import { type Find, getItems } from '../records/batch-items.js';
import { Task, taskKey } from './task.js';
import { dependenciesOf, readGraph, taskGraphKey } from './task-graph.js';

/** Together with the dependencies that a task may have they stay below what one batch may read. */
const newestMessages = 40;
const maxFinalCharacters = 32_768;

/**
 * What a person wants to see of one task beyond its record. `find` knows the project's graph and the task's chat. One
 * table call, or none.
 */
export async function loadDetail(table: Table, task: Task, find: Find) {
  const { projectId, taskId } = task;
  const waitsFor = dependenciesOf(readGraph(find(taskGraphKey(projectId))), taskId).map((id) =>
    taskKey(projectId, id),
  );
  const found = find(chatKey(taskId));
  const chat = found && Chat.parse(found);
  const messages = chat ? newestOf(chat) : [];
  const keys = [...waitsFor, ...messages];
  const read: Find = keys.length > 0 ? await getItems(table, keys) : () => undefined;

  const dependencies = waitsFor.flatMap((key) => {
    const item = read(key);
    return item ? [dependencyView(Task.parse(item))] : [];
  });
  const said = messages.flatMap((key) => {
    const item = read(key);
    return item ? [Message.parse(item)] : [];
  });
  return {
    dependencies,
    attention: chat?.attention ?? null,
    blocked: dependencies.some(({ status }) => status !== 'completed'),
    finalAssistantMessage: finalWords(said),
  };
}

/** The end of it where it is long: an answer has bounds, and the whole stands in the chat. */
function finalWords(said: readonly Message[]): string | null {
  const content = joinFragments(said).findLast(({ role }) => role === 'assistant')?.content ?? null;
  if (content === null || content.length <= maxFinalCharacters) return content;
  // Not from within a character that takes two.
  return content.slice(-maxFinalCharacters).replace(/^[\udc00-\udfff]/, '');
}

function newestOf({ chatId, lastSequence }: Chat) {
  const first = Math.max(1, lastSequence - newestMessages + 1);
  return Array.from({ length: lastSequence - first + 1 }, (_, index) => messageKey(chatId, first + index));
}

const dependencyView = ({ taskId, title, status }: Task) => ({ taskId, title, status });

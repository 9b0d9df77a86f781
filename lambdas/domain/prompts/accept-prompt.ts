import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { Chat, maxMessagesPerChat } from '../chats/chat.js';
import { MessageLimitExceeded } from '../chats/errors.js';
import { type Message, messageIdItem, messageItem, SentMessage } from '../chats/message.js';
import type { Allowed } from '../policy/allow.js';
import type { Item } from '../records/batch-items.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { type Refusal, transact, type Write } from '../records/transact.js';
import {
  AlongsideRefused,
  ChatEnded,
  ChatHasNoAgent,
  ChatShutsDown,
  promptConflict,
  promptQueueFull,
} from './errors.js';
import {
  maxQueuedPrompts,
  type NewPrompt,
  newPrompt,
  Prompt,
  promptItem,
  promptKeysOfMessage,
} from './prompt.js';
import { isNextUnqueued, unqueuedRef } from './queue.js';
import { countQueued, dueKeys, queueItem, shutdownMarker } from './queue-items.js';

export type PromptRequest = Omit<NewPrompt, 'chatId' | 'projectId' | 'kind' | 'sequence' | 'isUnqueued'>;

interface AcceptedPrompt {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly sequence: number;
}

interface Acceptance {
  readonly chat: Allowed<'chat.prompt', Chat>;
  readonly now: Date;
  /** Writes of other items that happen with the acceptance or not at all. */
  readonly alongside?: readonly Write[];
}

/** While an agent writes, it takes the next sequence number of the chat several times a second. */
const retries = { attempts: 6, message: 'The session changed at the same time. Try again.' };

/**
 * Accepts a prompt: from then on it is delivered, or its failure is shown. One transaction stores
 * the prompt, its message and its place in the queue. A repeat with the same message id or delivery
 * id returns the same prompt. One table call, and one more for each message stored at the same
 * time.
 *
 * @throws {promptConflict} the id was used with other content
 * @throws {AlongsideRefused} nothing is stored
 * @throws {ChatEnded | ChatShutsDown | ChatHasNoAgent | promptQueueFull | MessageLimitExceeded}
 */
export async function acceptPrompt(
  table: Table,
  request: PromptRequest,
  { chat, now, alongside = [] }: Acceptance,
): Promise<AcceptedPrompt> {
  requireAgent(chat);
  return retryOnConflict<Chat, AcceptedPrompt>(chat, retries, async (current) => {
    const { chatId, projectId, lastSequence } = current;
    const place = { chatId, projectId, sequence: lastSequence + 1, isUnqueued: isNextUnqueued(current) };
    const isAsleep = current.status === 'sleeping';
    const prompt = newPrompt({ ...request, ...place, kind: 'prompt', isAsleep }, now);
    const outcome = await transact(table, [
      ...alongside,
      takeNextSequence(current, prompt, now),
      ...promptWrites(prompt),
      ...(shutsDown(prompt) ? [shutdownMarker(prompt)] : []),
    ]);
    if (outcome.committed) return { result: accepted(prompt) };
    if (outcome.refusals.slice(0, alongside.length).some(({ failed }) => failed))
      throw new AlongsideRefused();
    const conflicting = conflictsIn(outcome.refusals);
    const result = acceptedBefore(prompt, conflicting);
    return result ? { result } : { met: requirePromptable(conflicting('chat')) };
  });
}

/** Takes the next sequence number, if it is still free and the chat accepts prompts. */
function takeNextSequence({ chatId, lastSequence }: Chat, prompt: Prompt, now: Date): Write {
  return {
    update: chatChange(chatId, {
      set: {
        lastSequence: lastSequence + 1,
        lastMessageAt: now.toISOString(),
        unqueued: prompt.isUnqueued ? unqueuedRef(prompt) : undefined,
        // A person's message answers the question of the agent.
        attention: prompt.senderType === 'human' ? null : undefined,
        ...effectOnOthers(prompt),
      },
      increment: { messageCount: 1, queuedPrompts: 1 },
      when: {
        equals: { lastSequence },
        oneOf: { status: ['active', 'sleeping'] },
        absent: ['shutdownId'],
        absentOrBefore: {
          lastSequence: maxMessagesPerChat,
          // A redelivery may have been queued since the chat was read.
          queuedPrompts: prompt.isUnqueued ? 1 : maxQueuedPrompts,
        },
      },
      now,
    }),
  };
}

const shutsDown = ({ messageClass }: Prompt): boolean => messageClass === 'shutdown_with_final_prompt';

/** The effect of the prompt's class on other prompts of the chat, from its acceptance on. */
function effectOnOthers(prompt: Prompt): Pick<Partial<Chat>, 'shutdownId' | 'replan'> {
  const { messageClass, deliveryId, sourceTaskId, sequence } = prompt;
  if (shutsDown(prompt)) return { shutdownId: deliveryId };
  const replans = messageClass === 'preempt_and_replan' && sourceTaskId !== null;
  return replans ? { replan: { sourceTaskId, sequence } } : {};
}

const accepted = ({ deliveryId, promptMessageId, sequence }: Prompt): AcceptedPrompt => ({
  deliveryId,
  messageId: promptMessageId,
  sequence,
});

type Conflicts = (entity: string) => Item | undefined;

/** The stored items that refused the transaction, by their entity. */
const conflictsIn =
  (refusals: readonly Refusal[]): Conflicts =>
  (entity) =>
    refusals.find(({ item }) => item?.entity === entity)?.item;

/** The prompt that was accepted earlier with the same message id or delivery id. */
function acceptedBefore(prompt: Prompt, conflicting: Conflicts): AcceptedPrompt | undefined {
  const sentMessage = conflicting('message-id');
  if (sentMessage) {
    const sent = SentMessage.safeParse(sentMessage);
    if (!sent.success || sent.data.contentHash !== contentHash(prompt)) throw promptConflict();
    const { deliveryId, sequence } = sent.data;
    return { deliveryId, sequence, messageId: prompt.promptMessageId };
  }
  const stored = conflicting('prompt');
  if (stored) {
    const known = Prompt.parse(stored);
    if (contentHash(known) !== contentHash(prompt)) throw promptConflict();
    return accepted(known);
  }
  if (conflicting('prompt-queue')) throw promptQueueFull('Project');
  return undefined;
}

/** @throws {ChatHasNoAgent} */
function requireAgent({ agentSessionId, startDeliveryId }: Chat): void {
  if (agentSessionId === null && startDeliveryId === undefined) throw new ChatHasNoAgent();
}

/** @throws {ChatEnded | ChatShutsDown | promptQueueFull | MessageLimitExceeded} */
function requirePromptable(item: Item | undefined): Chat {
  const chat = Chat.parse(item);
  const { status, queuedPrompts, lastSequence, shutdownId } = chat;
  if (shutdownId !== undefined) throw new ChatShutsDown();
  if (status !== 'active' && status !== 'sleeping') throw new ChatEnded(status);
  if (queuedPrompts >= maxQueuedPrompts) throw promptQueueFull('Session');
  if (lastSequence >= maxMessagesPerChat) throw new MessageLimitExceeded();
  return chat;
}

/** Distinguishes two prompts that were sent with the same id. */
const contentHash = ({ messageClass, content }: Pick<Prompt, 'messageClass' | 'content'>): string =>
  hashText(`${messageClass}\0${content}`);

/**
 * All writes of a new prompt except its chat's: the prompt, the sender's message id, the message,
 * and for a queued prompt its queue item and its count in the project.
 */
export function promptWrites(prompt: Prompt): readonly Write[] {
  const { isUnqueued } = prompt;
  return [
    { put: { ...promptItem(prompt), ...(isUnqueued ? dueKeys(prompt) : {}) }, when: { exists: false } },
    ...messageIdWrites(prompt),
    ...(isUnqueued ? [] : [countQueued(prompt), { put: queueItem(prompt), when: { exists: false } }]),
    { put: messageItem(messageOf(prompt)), when: { exists: false } },
  ];
}

/** None without an id of the sender. The sender's id must not be the id of another prompt. */
function messageIdWrites(prompt: Prompt): readonly Write[] {
  const { chatId, promptMessageId, sequence, deliveryId } = prompt;
  if (promptMessageId === deliveryId) return [];
  const sent: SentMessage = { sequence, deliveryId, contentHash: contentHash(prompt) };
  return [
    { put: { ...messageIdItem(chatId, promptMessageId, sequence), ...sent }, when: { exists: false } },
    ...promptKeysOfMessage(chatId, promptMessageId).map((check) => ({ check, when: { exists: false } })),
  ];
}

function messageOf(prompt: Prompt): Message {
  const { chatId, projectId, sequence, promptMessageId, content, senderType, deliveryId, createdAt } = prompt;
  return {
    chatId,
    projectId,
    sequence,
    messageId: promptMessageId,
    role: 'user',
    content,
    toolMetadata: null,
    origin: senderType === 'human' ? 'user' : 'system',
    delivery: { deliveryId, state: 'queued', reason: null },
    createdAt,
  };
}

import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey, maxMessagesPerChat } from '../chats/chat.js';
import { MessageLimitExceeded } from '../chats/errors.js';
import { SentMessage } from '../chats/message.js';
import type { Allowed } from '../policy/allow.js';
import type { Item } from '../records/batch-items.js';
import { type Refusal, transact, type Write } from '../records/transact.js';
import { ChatEnded, ChatHasNoAgent, ChatShutsDown, PromptConflict, PromptQueueFull } from './errors.js';
import { loneMark, waitsAlone } from './lone-prompt.js';
import { maxQueuedPrompts, type NewPrompt, newPrompt, Prompt } from './prompt.js';
import { contentHash, promptWrites } from './prompt-writes.js';
import { shutdownMark } from './shutdown-mark.js';

export type AskedPrompt = Omit<NewPrompt, 'chatId' | 'projectId' | 'kind' | 'sequence' | 'isLone'>;

export interface AcceptedPrompt {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly sequence: number;
}

/** Each time somebody else has taken the next place in the chat, which happens while an agent speaks. */
const attempts = 6;

/**
 * Takes a prompt on: from here on it is delivered, or its end is shown. The prompt and the message that shows it are one
 * transaction. The same message id again, or the same delivery, is the same prompt. One table call, and one more for
 * each time that another message took the place.
 *
 * @throws {PromptConflict} the id was used for another content
 * @throws {ChatEnded | ChatShutsDown | ChatHasNoAgent | PromptQueueFull | MessageLimitExceeded}
 */
export async function acceptPrompt(
  table: Table,
  asked: AskedPrompt,
  { chat, now }: { readonly chat: Allowed<'chat.prompt', Chat>; readonly now: Date },
): Promise<AcceptedPrompt> {
  requireAgent(chat);
  let seen: Chat = chat;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { chatId, projectId, lastSequence } = seen;
    const place = { chatId, projectId, sequence: lastSequence + 1, isLone: waitsAlone(seen) };
    const prompt = newPrompt({ ...asked, ...place, kind: 'prompt' }, now);
    const outcome = await transact(table, [
      nextPlace(seen, prompt, now),
      ...promptWrites(prompt),
      ...(isLast(prompt) ? [shutdownMark(prompt)] : []),
    ]);
    if (outcome.committed) return accepted(prompt);
    const met = metIn(outcome.refusals);
    const known = sameAsBefore(prompt, met);
    if (known) return known;
    seen = present(met('chat'));
  }
  throw new Unavailable('The session was changed at the same moment; try again');
}

/** Takes the next place in the chat, if it is still the next one and the chat takes prompts. */
function nextPlace({ chatId, lastSequence }: Chat, prompt: Prompt, now: Date): Write {
  const at = now.toISOString();
  return {
    update: {
      key: chatKey(chatId),
      set: {
        ...{ lastSequence: lastSequence + 1, lastMessageAt: at, updatedAt: at },
        lone: prompt.isLone ? loneMark(prompt) : undefined,
        ...classMarks(prompt),
      },
      // What a person says is the answer to what the agent has asked.
      remove: prompt.senderType === 'human' ? ['attention'] : [],
      add: { messageCount: 1, queuedPrompts: 1, version: 1 },
      when: {
        equals: { lastSequence },
        oneOf: { status: ['active', 'sleeping'] },
        absent: ['shutdownId'],
        absentOrBefore: {
          lastSequence: maxMessagesPerChat,
          // What was delivered before may have come into the queue again since.
          queuedPrompts: prompt.isLone ? 1 : maxQueuedPrompts,
        },
      },
    },
  };
}

const isLast = ({ messageClass }: Prompt): boolean => messageClass === 'shutdown_with_final_prompt';

/** What a prompt means to the others of its chat, from the moment that it is taken on. */
function classMarks(prompt: Prompt): Partial<Chat> {
  const { messageClass, deliveryId, sourceTaskId, sequence } = prompt;
  if (isLast(prompt)) return { shutdownId: deliveryId };
  const replans = messageClass === 'preempt_and_replan' && sourceTaskId !== null;
  return replans ? { replanned: { sourceTaskId, sequence } } : {};
}

const accepted = ({ deliveryId, promptMessageId, sequence }: Prompt): AcceptedPrompt => ({
  deliveryId,
  messageId: promptMessageId,
  sequence,
});

type Met = (entity: string) => Item | undefined;

/** What has refused a transaction, by what it is. */
const metIn =
  (refusals: readonly Refusal[]): Met =>
  (entity) =>
    refusals.find(({ item }) => item?.entity === entity)?.item;

/** What was accepted before, under the same delivery or message. */
function sameAsBefore(prompt: Prompt, met: Met): AcceptedPrompt | undefined {
  const asMessage = met('message-id');
  if (asMessage) {
    const sent = SentMessage.safeParse(asMessage);
    if (!sent.success || sent.data.contentHash !== contentHash(prompt)) throw new PromptConflict();
    const { deliveryId, sequence } = sent.data;
    return { deliveryId, sequence, messageId: prompt.promptMessageId };
  }
  const asPrompt = met('prompt');
  if (asPrompt) {
    const known = Prompt.parse(asPrompt);
    if (contentHash(known) !== contentHash(prompt)) throw new PromptConflict();
    return accepted(known);
  }
  if (met('prompt-queue')) throw new PromptQueueFull('project');
  return undefined;
}

/** The chat as the refused write has met it, if it still takes prompts. */
function present(met: Item | undefined): Chat {
  const chat = Chat.parse(met);
  requirePromptable(chat);
  return chat;
}

/** @throws {ChatHasNoAgent} */
function requireAgent({ agentSessionId, startDeliveryId }: Chat): void {
  if (agentSessionId === null && startDeliveryId === undefined) throw new ChatHasNoAgent();
}

/** @throws {ChatEnded | ChatShutsDown | PromptQueueFull | MessageLimitExceeded} */
function requirePromptable({ status, queuedPrompts, lastSequence, shutdownId }: Chat): void {
  if (shutdownId !== undefined) throw new ChatShutsDown();
  if (status !== 'active' && status !== 'sleeping') throw new ChatEnded(status);
  if (queuedPrompts >= maxQueuedPrompts) throw new PromptQueueFull('session');
  if (lastSequence >= maxMessagesPerChat) throw new MessageLimitExceeded();
}

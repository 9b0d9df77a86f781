import * as z from 'zod/mini';
import { appendMessage } from '../../chats/append-message.js';
import { Attention } from '../../chats/chat.js';
import { personText } from '../arguments.js';
import { tool } from '../tool.js';

const { category } = Attention.shape;

export const requestHumanInput = tool({
  name: 'request_human_input',
  description:
    'Ask the person of your task or conversation a question when you cannot continue without an answer. Then end your turn: the answer is your next prompt. Repeating the call with the same context asks once.',
  policy: {
    equals: 'none',
    reason: 'Asks in the session of the caller, as its agent; no route speaks as an agent',
    capability: 'task:write',
  },
  args: z.strictObject({
    context: personText(8_000, 'The question and all information that the person needs to answer it.'),
    category: z._default(
      category.check(z.describe('Kind of the question. Default: clarification.')),
      'clarification',
    ),
    options: z._default(
      z
        .array(personText(500, 'One answer.'))
        .check(z.maxLength(10), z.describe('Answers to choose from, at most 10 of 500 characters.')),
      [],
    ),
  }),
  handle: async (asked, { caller: { chat }, table, now, newId }) => {
    // The same context is a repeat, after the reply to the first call was lost.
    const isAsked = chat.attention?.context === asked.context;
    if (!isAsked) {
      const messageId = newId();
      const { context, options } = asked;
      await appendMessage(table, {
        chat,
        now,
        message: {
          messageId,
          role: 'system',
          origin: 'system',
          content: [context, ...options.map((option) => `- ${option}`)].join('\n'),
          toolMetadata: { kind: 'human_input_request', category: asked.category, options },
        },
        set: { attention: { ...asked, messageId, requestedAt: now.toISOString() } },
      });
    }
    return { requested: true, instruction: 'End your turn now. The answer is your next prompt.' };
  },
});

import * as z from 'zod/mini';
import { appendMessage } from '../../chats/append-message.js';
import { Attention } from '../../chats/chat.js';
import { tool } from '../tool.js';

const { category } = Attention.shape;

export const requestHumanInput = tool({
  name: 'request_human_input',
  description:
    'Ask the person whose task or conversation it is when you cannot continue without an answer. Put all that the person needs into context; options lists up to 10 answers. Then end your turn: the answer is your next prompt. Repeating the call with the same context asks once.',
  policy: {
    equals: 'none',
    reason: 'Asks in the session of the caller, as its agent; no route speaks as an agent',
    capability: 'task:write',
  },
  args: z.strictObject({
    context: z.string().check(z.trim(), z.minLength(1), z.maxLength(8_000)),
    category: z._default(category, 'clarification'),
    options: z._default(
      z.array(z.string().check(z.trim(), z.minLength(1), z.maxLength(500))).check(z.maxLength(10)),
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
    return { requested: true, instruction: 'End your turn now. The answer will be your next prompt.' };
  },
});

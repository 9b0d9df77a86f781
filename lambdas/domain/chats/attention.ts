import * as z from 'zod/mini';

/** What an agent needs a person for; the person's next message in the chat is the answer, and ends it. */
export const Attention = z.object({
  /** The message in the chat that asks. */
  messageId: z.string(),
  category: z.enum(['decision', 'clarification', 'approval', 'error_help']),
  context: z.string(),
  options: z.array(z.string()),
  requestedAt: z.iso.datetime(),
});
export type Attention = z.infer<typeof Attention>;

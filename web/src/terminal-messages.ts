import * as z from 'zod/mini';

/** What the console reads of a node's control messages. Those of other types are passed over. */
const session = { sessionId: z.string() };
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session_created'), ...session }),
  z.object({
    type: z.literal('session_reattached'),
    ...session,
    data: z.object({ offset: z.int(), lost: z.int() }),
  }),
  z.object({
    type: z.literal('session_closed'),
    ...session,
    data: z.object({ exitCode: z.nullable(z.int()), signal: z.nullable(z.int()) }),
  }),
  z.object({
    type: z.literal('error'),
    sessionId: z.optional(z.string()),
    data: z.object({ error: z.string() }),
  }),
]);
export type TerminalMessage = z.infer<typeof Message>;

export function parseTerminalMessage(text: string): TerminalMessage | undefined {
  try {
    return Message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

import * as z from 'zod/mini';

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.optional(z.union([z.string(), z.number(), z.null()])),
  method: z.optional(z.string()),
  params: z.optional(z.unknown()),
});
export type Message = z.infer<typeof Message>;

/** Null for what is no JSON-RPC: tools that a harness starts print all sorts of things. */
export function parseMessage(line: string): Message | null {
  try {
    const parsed = Message.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

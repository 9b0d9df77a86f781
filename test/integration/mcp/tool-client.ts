import * as z from 'zod/mini';
import type { Invoke } from '../../support/invoke.js';

const Reply = z.object({
  result: z.object({
    content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
    isError: z.optional(z.boolean()),
  }),
});

/** The result of a tool call; `refused` is set for an error. */
export interface ToolAnswer {
  readonly refused: boolean;
  // What a test looks into, field by field.
  readonly value: Record<string, unknown>;
}

/** Calls tools as the agent with this token. */
export const toolClient =
  (invoke: Invoke, { secret }: { readonly secret: string }) =>
  async (name: string, args: object = {}): Promise<ToolAnswer> => {
    const { body } = await invoke({
      headers: { authorization: `Bearer ${secret}` },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
    const { content, isError = false } = Reply.parse(body).result;
    return { refused: isError, value: JSON.parse(content[0].text) };
  };

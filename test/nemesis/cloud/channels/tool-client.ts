import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Random } from '../../agent/random.js';
import type { ChannelHistory } from './channel-history.js';

const Reply = z.object({
  result: z.object({
    content: z.tuple([z.object({ text: z.string() })]),
    isError: z.optional(z.boolean()),
  }),
});
const Refusal = z.object({ error: z.string(), retryAfter: z.optional(z.number()) });

export interface ToolAnswer {
  /** The code of the error; undefined for a result. */
  readonly refused: string | undefined;
  readonly value: unknown;
}

/** The deployment or the project is busy, and the same call may succeed later. */
const isTemporary = (code: string): boolean => ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'].includes(code);
const longestPauseMs = 8_000;
const timeoutMs = 30_000;

/** An agent's MCP client, which repeats a call with the same arguments until it has an answer. */
export class ToolClient {
  constructor(
    private readonly at: { readonly url: string; readonly authorization: string },
    private readonly random: Random,
    private readonly history: ChannelHistory,
  ) {}

  /** `givesUpEarly`: sometimes drops the connection before the answer, and calls again. */
  async call(name: string, args: object, givesUpEarly = false): Promise<ToolAnswer> {
    const isCut = givesUpEarly && this.random.chance(0.1);
    if (isCut) {
      await this.request(name, args, this.random.between(5, 200)).catch(() => undefined);
      this.history.repeats += 1;
    }
    for (let pauseMs = 200; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const answer = await this.request(name, args, timeoutMs).catch(() => undefined);
      if (answer && !(answer.refused && isTemporary(answer.refused))) return answer;
      if (answer?.refused === 'RATE_LIMIT_EXCEEDED') this.history.rateLimited += 1;
      else this.history.repeats += 1;
      await wait(this.random.between(pauseMs, 2 * pauseMs));
    }
  }

  private async request(name: string, args: object, withinMs: number): Promise<ToolAnswer | undefined> {
    const { url, authorization } = this.at;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await response.text();
    if (response.status === 401 || response.status === 403)
      throw new Error(`${name} answered ${response.status}: ${text}`);
    const reply = Reply.safeParse(JSON.parse(text));
    // Not of the tool: the function died, or the limit of requests is reached.
    if (!reply.success) return undefined;
    const { content, isError } = reply.data.result;
    const value: unknown = JSON.parse(content[0].text);
    return { refused: isError ? Refusal.parse(value).error : undefined, value };
  }
}

/** @throws when the tool refuses the call */
export function expectResult<Schema extends z.ZodMiniType>(
  schema: Schema,
  { refused, value }: ToolAnswer,
): z.output<Schema> {
  if (refused) throw new Error(`A tool refused a call: ${JSON.stringify(value)}`);
  return schema.parse(value);
}

import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { DomainError } from '../shared/errors.js';
import type { Log } from '../shared/log.js';

/** The ids of a caller of any kind. */
const Caller = z.pipe(
  z.object({
    user: z.optional(z.object({ userId: z.string() })),
    userId: z.optional(z.string()),
    nodeId: z.optional(z.string()),
    workspaceId: z.optional(z.string()),
    agentSessionId: z.optional(z.string()),
  }),
  z.transform(({ user, ...ids }) => ({ ...ids, ...user })),
);

interface Outcome {
  readonly reply: APIGatewayProxyStructuredResultV2;
  /** Undefined when the request was refused before its caller was known. */
  readonly caller: object | undefined;
  readonly error?: unknown;
}

/** Logs one line a request: a bug with its error, an expected refusal with its code. */
export function logOutcome(
  { log, now }: { readonly log: Log; readonly now: Date },
  event: APIGatewayProxyEventV2,
  outcome: Outcome,
): void {
  const { reply, error } = outcome;
  const by = Caller.safeParse(outcome.caller).data;
  const line = {
    path: event.rawPath,
    ...by,
    status: reply.statusCode,
    durationMs: Date.now() - now.getTime(),
  };
  if (!('error' in outcome)) log.info('Request', line);
  else if (error instanceof DomainError)
    log.info('Request refused', { ...line, code: error.code, cause: error.cause });
  else log.error('Request failed', { ...line, error: error instanceof Error ? error : String(error) });
}

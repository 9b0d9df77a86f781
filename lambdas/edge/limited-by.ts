import { enterLimit } from '../domain/rate-limits/enter-limit.js';
import { type Counted, type RateLimit, rateLimits } from '../domain/rate-limits/rate-limits.js';
import { longestHoldSeconds } from '../route-row.js';
import { table } from '../shared/clients/documents.js';
import type { OwnRow } from './own-row.js';
import type { AnyReply } from './reply.js';
import { rateLimitHeaders } from './reply.js';
import type { Call } from './route.js';

/** Runs one request within the limit of its row. */
type Within<Identity> = (
  request: { readonly call: Call; readonly given: Identity },
  work: () => Promise<AnyReply> | AnyReply,
) => Promise<AnyReply>;

/** What a wrapper counts requests of, and how it names one. */
export type Limiter<Identity> = (row: OwnRow) => Within<Identity> | undefined;

/**
 * The limit that a row names, counted per caller of the wrapper's kind. A row that names a limit of
 * another kind does not load.
 */
function limitedBy<Identity>(per: Counted, idOf: (given: Identity, call: Call) => string): Limiter<Identity> {
  return (row) => {
    const limit = limitOf(row);
    if (!limit) return undefined;
    if (limit.per !== per) throw new Error(`${row.file} counts by ${limit.per} but its wrapper by ${per}`);
    const holdSeconds = longestHoldSeconds(row);
    return async ({ call, given }, work) => {
      const { now, newId, log } = call;
      const entry = await enterLimit(table, limit, {
        id: idOf(given, call),
        leaseId: newId(),
        now,
        holdSeconds,
      });
      try {
        const reply = await work();
        return { ...reply, headers: { ...rateLimitHeaders(entry.window), ...reply.headers } };
      } finally {
        // The lease expires by itself; the reply is worth more than its slot.
        await entry.leave().catch((error: unknown) => log.warn('A slot was not given back', { error }));
      }
    };
  };
}

function limitOf({ limit: name }: OwnRow): RateLimit | undefined {
  if (name === undefined) return undefined;
  const limit: RateLimit = rateLimits[name];
  return limit.isCountedInside ? undefined : limit;
}

export const limitedByPerson = limitedBy(
  'person',
  ({ user }: { readonly user: { readonly userId: string } }) => user.userId,
);
export const limitedByAddress = limitedBy('address', (_given: object, { request }) => request.clientAddress);
export const limitedByWorkspace = limitedBy(
  'workspace',
  ({ workspaceId }: { readonly workspaceId: string }) => workspaceId,
);
export const limitedByNode = limitedBy('node', ({ nodeId }: { readonly nodeId: string }) => nodeId);

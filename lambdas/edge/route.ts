import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { isReachedDirectly } from '../route-row.js';
import { originRequired } from '../shared/errors.js';
import { newId } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { rootLog } from '../shared/log.js';
import { compressReply } from './compress-reply.js';
import type { Contract, Reply } from './contract.js';
import { type HttpRequest, httpRequest } from './http-request.js';
import { issueText } from './issue-text.js';
import type { Limiter } from './limited-by.js';
import { logOutcome } from './log-outcome.js';
import { type OwnRow, readRow } from './own-row.js';
import { parseRequest } from './parse-request.js';
import { type AnyReply, errorReply, successReply } from './reply.js';

// Without it zod/mini says "Invalid input" to everything.
z.config({ localeError: issueText });

/** What every handler is given, whoever calls. */
export interface Call {
  readonly request: HttpRequest;
  readonly now: Date;
  /** Makes a new record id. */
  readonly newId: () => string;
  readonly log: Log;
  readonly requestId: string;
}

/** The parsed parts of the request. */
interface Input<C extends Contract> {
  readonly params: z.output<C['params']>;
  readonly query: z.output<C['query']>;
  readonly body: z.output<C['body']>;
}

export type Handle<C extends Contract, Identity, Out> = (
  call: Call & Input<C> & Identity,
) => Promise<Out> | Out;

/** One of the replies that the contract lists. */
export type ReplyOf<C extends Contract> = Reply<C['responses']>;

/** The part of a stack that differs by kind of caller. */
interface Admission<Identity> {
  /** Identifies the caller, or throws. It runs before the content of the request is parsed. */
  readonly identify: (event: APIGatewayProxyEventV2, call: Call) => Promise<Identity> | Identity;
  /** Counts the request against the limit of the row. */
  readonly limiter?: Limiter<Identity>;
}

export type HttpHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** An event on its way through the stack, with what the steps before have found out. */
interface Exchange {
  readonly event: APIGatewayProxyEventV2;
  readonly call: Call;
  readonly given: object;
}

/**
 * The one Middy stack for HTTP: failures and replies on the outside, then the origin, identity, the
 * parsed request, and the limit of the row. The wrappers of each kind of caller (`session-route.ts`
 * and its siblings) say what the identity is; handlers use those and choose no order.
 */
export function route<C extends Contract, Identity extends object, const Out extends ReplyOf<C>>(
  contract: C,
  { identify, limiter }: Admission<Identity>,
  handle: Handle<C, Identity, Out>,
): HttpHandler {
  const row = readRow();
  // A limit that nobody counts would be a lie of the table.
  if (row.limit && !limiter)
    throw new Error(`${row.file} declares a limit, which its wrapper does not count`);
  const within = limiter?.(row);
  const stack = middy<Exchange, AnyReply | APIGatewayProxyStructuredResultV2>()
    .use({
      after: (request) => {
        const { call, event, given } = request.event;
        const reply = successReply(contract, request.response as AnyReply, call.requestId);
        request.response = compressReply(reply, event.headers['accept-encoding']);
        logOutcome(call, event, { reply: request.response, caller: given });
      },
      onError: (request) => {
        const { call, event, given } = request.event;
        request.response = errorReply(contract, request.error, call.requestId);
        logOutcome(call, event, { reply: request.response, caller: given, error: request.error });
      },
    })
    .before(({ event }) => requireOrigin(row, event.call))
    .before(async ({ event }) => {
      Object.assign(event.given, await identify(event.event, event.call));
    })
    .before(({ event }) => {
      Object.assign(event.given, parseRequest(contract, event.event));
    })
    .handler(({ call, given: found }: Exchange) => {
      // What the steps above have put there is just this, which the checker cannot carry through
      // Middy.
      const given = found as Input<C> & Identity;
      const work = () => handle({ ...call, ...given });
      return within ? within({ call, given }, work) : work();
    });

  return async (event, context) =>
    (await stack(
      { event, call: newCall(event, context), given: {} },
      context,
    )) as APIGatewayProxyStructuredResultV2;
}

/** @throws {OriginRequired} the route is for callers behind CloudFront, and this one is not */
function requireOrigin(row: OwnRow, { request }: Call): void {
  if (!request.isFromCloudFront && !isReachedDirectly(row)) throw originRequired();
}

/** What is known of a request before anything of it is looked at. */
export function newCall(event: APIGatewayProxyEventV2, { awsRequestId }: Context): Call {
  const log = rootLog.createChild({ persistentKeys: { requestId: awsRequestId, route: event.routeKey } });
  return { request: httpRequest(event), now: new Date(), newId, log, requestId: awsRequestId };
}

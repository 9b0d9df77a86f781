import middy from '@middy/core';
import type { APIGatewayProxyResultV2, APIGatewayProxyWebsocketEventV2, Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { table } from '../shared/clients/documents.js';
import { newId } from '../shared/ids.js';
import { type Log, rootLog } from '../shared/log.js';
import type { Table } from '../shared/table.js';

/**
 * What the authorizer of `$connect` found out; API Gateway passes it on for the life of the
 * connection.
 */
const SocketIdentity = z.object({ userId: z.string(), sessionHash: z.string() });
type SocketIdentity = z.infer<typeof SocketIdentity>;

export interface SocketCall {
  readonly connectionId: string;
  readonly routeKey: string;
  readonly user: SocketIdentity;
  /** The text of the message; empty on `$connect` and `$disconnect`. */
  readonly text: string;
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
}

/** What API Gateway calls a route for. */
type SocketOccasion = 'CONNECT' | 'MESSAGE' | 'DISCONNECT';

type SocketEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly requestContext: { readonly authorizer?: unknown };
};

/**
 * One route of the live socket, for one occasion: a message that names `$connect` or `$disconnect`
 * as its action is no handshake, and must not register or forget the connection. A failure answers
 * 500, which on `$connect` refuses the connection; replies to messages are pushed to the connection
 * by the handler.
 */
export function socketRoute(
  handle: (call: SocketCall) => Promise<void>,
  occasion: SocketOccasion = 'MESSAGE',
): (event: SocketEvent, context: Context) => Promise<APIGatewayProxyResultV2> {
  const stack = middy<SocketEvent, APIGatewayProxyResultV2>()
    .onError((request) => {
      logOf(request.context).error('Socket message failed', { error: request.error ?? undefined });
      request.response = { statusCode: 500 };
    })
    .handler(async (event: SocketEvent, context: Context) => {
      const { connectionId, routeKey, eventType, authorizer } = event.requestContext;
      if (eventType !== occasion) return { statusCode: 400 };
      const user = SocketIdentity.parse(authorizer);
      const call = { table, now: new Date(), newId, log: logOf(context) };
      await handle({ ...call, connectionId, routeKey, user, text: event.body ?? '' });
      return { statusCode: 200 };
    });
  return (event, context) => stack(event, context);
}

const logOf = ({ awsRequestId }: Context): Log =>
  rootLog.createChild({ persistentKeys: { requestId: awsRequestId } });

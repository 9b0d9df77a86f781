import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { mcpTokenInvalid } from '../domain/mcp-tokens/errors.js';
import { type McpCaller, verifyMcpToken } from '../domain/mcp-tokens/verify-mcp-token.js';
import { countRequest } from '../domain/rate-limits/count-request.js';
import { rateLimits } from '../domain/rate-limits/rate-limits.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import type { Table } from '../shared/table.js';
import type { Contract } from './contract.js';
import { bearerOf, requireSameOrigin } from './http-request.js';
import type { RpcMessage } from './json-rpc.js';
import { logOutcome } from './log-outcome.js';
import { mcpFailure } from './mcp-failure.js';
import { type Received, readMessage } from './mcp-message.js';
import type { McpEra } from './mcp-revision.js';
import { ownRow } from './own-row.js';
import { type AnyReply, rateLimitHeaders, successReply } from './reply.js';
import { type Call, type HttpHandler, newCall } from './route.js';

/** One request of an agent. */
export interface McpRequest extends Call, Pick<RpcMessage, 'method' | 'params'> {
  readonly caller: McpCaller;
  readonly table: Table;
  readonly era: McpEra;
}

/** A request in the stack, with the results of the earlier steps. */
interface Exchange {
  readonly event: APIGatewayProxyEventV2;
  readonly call: Call;
  readonly received: Received;
  caller?: McpCaller;
}

/**
 * The Middy stack of the Model Context Protocol: one JSON-RPC message a request, without session
 * state. It checks the token, the message and the rate limit, in this order, and calls the handler.
 * Notifications are not counted. Two table calls.
 */
export function mcpRoute(
  contract: Contract,
  handle: (request: McpRequest) => Promise<object> | object,
): HttpHandler {
  const { method } = ownRow('mcp');
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  const stack = middy<Exchange, AnyReply | APIGatewayProxyStructuredResultV2>()
    .use({
      after: (request) => {
        const { call, event, caller } = request.event;
        request.response = successReply(contract, request.response as AnyReply, call.requestId);
        logOutcome(call, event, { reply: request.response, caller: caller?.token });
      },
      onError: (request) => {
        const { call, event, received, caller } = request.event;
        const failure = mcpFailure(request.error, received.id, call.requestId);
        request.response = successReply(contract, failure, call.requestId);
        logOutcome(call, event, { reply: request.response, caller: caller?.token, error: request.error });
      },
    })
    .before(async ({ event: exchange }) => {
      requireSameOrigin(exchange.call.request, method, PUBLIC_URL);
      exchange.caller = await callerOf(exchange.call);
    })
    .before(({ event: { event, received } }) => {
      readMessage(event, received);
    })
    .handler((exchange: Exchange) => answer(exchange, handle));

  return async (event, context) =>
    (await stack(
      { event, call: newCall(event, context), received: { id: null } },
      context,
    )) as APIGatewayProxyStructuredResultV2;
}

async function callerOf(call: Call): Promise<McpCaller> {
  const secret = bearerOf(call);
  if (!secret) throw mcpTokenInvalid();
  return verifyMcpToken(table, { secret, now: call.now });
}

async function answer(
  { call, caller, received: { message, era } }: Exchange,
  handle: (request: McpRequest) => Promise<object> | object,
): Promise<AnyReply> {
  if (!caller || !message || !era) throw new Error('The stack has set neither caller nor message');
  const { id, method, params } = message;
  if (id === undefined) return { status: 202 };
  const { taskId, agentSessionId } = caller.token;
  const window = await countRequest(table, rateLimits.MCP, { id: taskId ?? agentSessionId, now: call.now });
  const result = await handle({ ...call, caller, table, era, method, params });
  return { status: 200, headers: rateLimitHeaders(window), body: { jsonrpc: '2.0', id, result } };
}

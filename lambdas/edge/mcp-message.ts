import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { RpcFailure, RpcId, RpcMessage, rpcCodes } from './json-rpc.js';
import { eraOf, type McpEra } from './mcp-revision.js';
import { bodyText, fieldErrors } from './parse-request.js';
import { findUnstorable } from './unstorable.js';

/** The part of the request that could be read: an error response needs its id. */
export interface Received {
  id: RpcId | null;
  message?: RpcMessage;
  era?: McpEra;
}

/**
 * Reads the one message of a request into `received`.
 *
 * @throws {TooLarge}
 * @throws {RpcFailure} the body is not JSON, is a batch, is not a message, or is one of a revision
 * that is not supported
 */
export function readMessage(event: APIGatewayProxyEventV2, received: Received): RpcMessage {
  const body = parseJson(bodyText(event));
  if (Array.isArray(body))
    throw new RpcFailure(rpcCodes.request, 'Batches are not supported. Send one message a request.');
  received.id = idOf(body);
  const problem = findUnstorable('message', body);
  if (problem) {
    const message = 'The message contains characters that cannot be stored.';
    throw new RpcFailure(rpcCodes.request, message, { details: [problem] });
  }
  const message = RpcMessage.safeParse(body);
  if (!message.success) {
    const details = message.error.issues.flatMap((issue) => fieldErrors('message', issue));
    throw new RpcFailure(rpcCodes.request, 'Not a JSON-RPC 2.0 request', { details });
  }
  received.message = message.data;
  received.era = eraOf(message.data, event.headers);
  return message.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcFailure(rpcCodes.parse, 'The body is not JSON');
  }
}

function idOf(body: unknown): RpcId | null {
  if (typeof body !== 'object' || body === null || !('id' in body)) return null;
  const id = RpcId.safeParse(body.id);
  return id.success ? id.data : null;
}

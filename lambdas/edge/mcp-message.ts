import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { RpcFailure, RpcId, RpcMessage, rpcCodes } from './json-rpc.js';
import { bodyText, fieldErrors } from './parse-request.js';
import { findUnstorable } from './unstorable.js';

/** Revisions of the protocol that are spoken here, newest first. */
export const mcpRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export type McpRevision = (typeof mcpRevisions)[number];

export const isSpoken = (revision: string): revision is McpRevision =>
  mcpRevisions.some((one) => one === revision);

/** The request as far as it could be read, so that a refusal can name the id that it answers. */
export interface Received {
  id: RpcId | null;
  message?: RpcMessage;
}

/**
 * Reads the one message of a request into `received`.
 *
 * @throws {TooLarge}
 * @throws {RpcFailure} it is no JSON, a batch, or no message
 */
export function readMessage(event: APIGatewayProxyEventV2, received: Received): RpcMessage {
  const body = parseJson(bodyText(event));
  if (Array.isArray(body)) throw new RpcFailure(rpcCodes.request, 'Batches are not taken; send one message');
  received.id = idOf(body);
  const problem = findUnstorable('message', body);
  if (problem) throw new RpcFailure(rpcCodes.request, 'The message cannot be kept', { details: [problem] });
  const message = RpcMessage.safeParse(body);
  if (!message.success) {
    const details = message.error.issues.flatMap((issue) => fieldErrors('message', issue));
    throw new RpcFailure(rpcCodes.request, 'This is no JSON-RPC 2.0 request', { details });
  }
  received.message = message.data;
  requireSpoken(message.data, event.headers['mcp-protocol-version']);
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

/** Which revision it will be is found out by `initialize`; the others must name one that was. */
function requireSpoken({ method }: RpcMessage, revision: string | undefined): void {
  if (method === 'initialize' || revision === undefined || isSpoken(revision)) return;
  throw new RpcFailure(rpcCodes.request, `MCP-Protocol-Version must be one of ${mcpRevisions.join(', ')}`);
}

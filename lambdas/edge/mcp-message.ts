import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { RpcFailure, RpcId, RpcMessage, rpcCodes } from './json-rpc.js';
import { bodyText, fieldErrors } from './parse-request.js';
import { findUnstorable } from './unstorable.js';

/**
 * Supported revisions of the protocol, newest first. 2025-03-26 is not: it requires that a server
 * receives batches.
 */
export const mcpRevisions = ['2025-11-25', '2025-06-18'] as const;
type McpRevision = (typeof mcpRevisions)[number];

export const isSupported = (revision: string): revision is McpRevision =>
  mcpRevisions.some((one) => one === revision);

/** The part of the request that could be read: an error response needs its id. */
export interface Received {
  id: RpcId | null;
  message?: RpcMessage;
}

/**
 * Reads the one message of a request into `received`.
 *
 * @throws {TooLarge}
 * @throws {RpcFailure} the body is not JSON, is a batch or is not a message
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
  requireSupportedRevision(message.data, event.headers['mcp-protocol-version']);
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

/** `initialize` negotiates the revision; every later request must name a supported one. */
function requireSupportedRevision({ method }: RpcMessage, revision: string | undefined): void {
  if (method === 'initialize' || revision === undefined || isSupported(revision)) return;
  throw new RpcFailure(rpcCodes.request, `MCP-Protocol-Version must be one of ${mcpRevisions.join(', ')}`);
}

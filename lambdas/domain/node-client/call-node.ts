import type { IncomingMessage } from 'node:http';
import type { z } from 'zod/mini';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import type { NodeAddress } from './node-address.js';
import { type NodeRequest, readBody, sendRequest } from './send-request.js';

const maxReplyBytes = 256 * 1024;

interface Reply<Schema extends z.ZodMiniType> {
  readonly reply: Schema;
  /** Error statuses whose body is a reply too, if it has the right shape. */
  readonly replyStatuses?: readonly number[];
}

export interface NodeCall<Schema extends z.ZodMiniType> extends Omit<NodeRequest, 'body'>, Reply<Schema> {
  readonly body?: unknown;
}

/**
 * Calls a node, JSON to JSON.
 *
 * @throws {NodeUnreachable} no reply in time, or an unreadable one: it may have acted
 * @throws {NodeRefused} the node refused
 */
export async function callNode<Schema extends z.ZodMiniType>(
  address: NodeAddress,
  { body, reply, replyStatuses: repliesBy, ...request }: NodeCall<Schema>,
): Promise<z.output<Schema>> {
  const answer = await sendRequest(address, {
    ...request,
    ...(body === undefined ? {} : { body: { type: 'application/json', content: JSON.stringify(body) } }),
  });
  const tooLong = () => new NodeUnreachable('The reply of the node is too long');
  const content = await readBody(answer, maxReplyBytes, tooLong);
  return parseReply(answer, content, { reply, ...(repliesBy ? { replyStatuses: repliesBy } : {}) });
}

/** Parses a response as JSON of the expected shape; throws as `callNode` does. */
export function parseReply<Schema extends z.ZodMiniType>(
  { statusCode: status = 0 }: IncomingMessage,
  bytes: Buffer,
  { reply, replyStatuses: repliesBy = [] }: Reply<Schema>,
): z.output<Schema> {
  const content = readJson(bytes);
  const read = reply.safeParse(content);
  if (status >= 400 && !(read.success && repliesBy.includes(status))) throw refusal(status, content);
  if (!read.success) throw new NodeUnreachable('The reply of the node has an unknown format');
  return read.data;
}

/** The error of a response with status 400 or higher. */
export function refusal(status: number, content: unknown): NodeRefused | NodeUnreachable {
  if (status >= 500) return new NodeUnreachable(`The node answered ${status}`);
  return new NodeRefused(status, errorCodeOf(content));
}

export function readJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}

function errorCodeOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('error' in body)) return 'unknown';
  // A node is not trusted to keep it short.
  return typeof body.error === 'string' ? body.error.slice(0, 64) : 'unknown';
}

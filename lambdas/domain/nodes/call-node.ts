import type { z } from 'zod/mini';
import { NodeRefused, NodeUnreachable } from './errors.js';
import type { NodeAddress } from './node-address.js';
import { type NodeRequest, readAnswer, sendToNode } from './send-to-node.js';

const maxReplyBytes = 256 * 1024;

export interface NodeCall<Schema extends z.ZodMiniType> extends Omit<NodeRequest, 'body'> {
  readonly body?: unknown;
  readonly reply: Schema;
  readonly maxReplyBytes?: number;
  /** Refusals that say more than no: their body is a reply too, where it has the shape of one. */
  readonly repliesBy?: readonly number[];
}

/**
 * Calls a node's agent, JSON to JSON.
 *
 * @throws {NodeUnreachable} no answer in time, or none that can be understood: it may have acted or not
 * @throws {NodeRefused} it said no
 */
export async function callNode<Schema extends z.ZodMiniType>(
  address: NodeAddress,
  { body, reply, maxReplyBytes: maxBytes = maxReplyBytes, repliesBy = [], ...request }: NodeCall<Schema>,
): Promise<z.output<Schema>> {
  const answer = await sendToNode(address, {
    ...request,
    ...(body === undefined ? {} : { body: { type: 'application/json', content: JSON.stringify(body) } }),
  });
  const status = answer.statusCode ?? 0;
  const tooLong = () => new NodeUnreachable('The answer of the node is too long');
  const content = readJson(await readAnswer(answer, maxBytes, tooLong).catch(unreached));
  const read = reply.safeParse(content);
  if (status >= 400 && !(read.success && repliesBy.includes(status))) throw refusal(status, content);
  if (!read.success) throw new NodeUnreachable('The node gave an answer of another shape');
  return read.data;
}

function unreached(cause: unknown): never {
  if (cause instanceof NodeUnreachable) throw cause;
  throw new NodeUnreachable('The answer of the node broke off', { cause });
}

/** What an answer of 400 and more says. */
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

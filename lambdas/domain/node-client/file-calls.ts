import type { IncomingMessage } from 'node:http';
import type { z } from 'zod/mini';
import {
  type DomainError,
  Forbidden,
  InvalidRequest,
  NotFound,
  tooLarge,
  Unavailable,
} from '../../shared/errors.js';
import { NodeRefused } from '../nodes/errors.js';
import { workspaceNotRunning } from '../workspaces/errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import { parseReply, readJson, refusal } from './call-node.js';
import { managementToken, type NodeAccess } from './node-access.js';
import { type NodeRequest, readBody, sendRequest } from './send-request.js';

type Subject = Pick<Workspace, 'workspaceId' | 'userId'>;

const maxJsonBytes = 2 * 1024 * 1024;
const maxRefusalBytes = 16 * 1024;

/** A request about files or git; `path` is relative to the address of the workspace on the node. */
interface FileRequest {
  readonly path: `files/${string}` | `git/${string}`;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: NodeRequest['body'];
}

/**
 * Requests JSON.
 *
 * @throws {DomainError} the node's no in words of ours, or that it does not answer
 */
export async function readOnNode<Schema extends z.ZodMiniType>(
  access: NodeAccess,
  workspace: Subject,
  { reply, ...request }: FileRequest & { readonly reply: Schema },
): Promise<z.output<Schema>> {
  const answer = await sendRequest(access.address, await requestOf(access, workspace, request));
  if (answer.statusCode === 507)
    throw new Unavailable('The disk of the node is full. Delete files or workspaces on it.');
  const resultTooLarge = () => tooLarge('The result is larger than 2 MiB');
  const content = await readBody(answer, maxJsonBytes, resultTooLarge);
  try {
    return parseReply(answer, content, { reply });
  } catch (error) {
    return inOurWords(error, request);
  }
}

/**
 * Requests bytes and returns the head of the response; `also` are further accepted statuses.
 *
 * @throws {DomainError} the node's no in words of ours, or that it does not answer
 */
export async function openOnNode(
  access: NodeAccess,
  workspace: Subject,
  { also = [], ...request }: FileRequest & { readonly also?: readonly number[] },
): Promise<IncomingMessage> {
  const answer = await sendRequest(access.address, await requestOf(access, workspace, request));
  const status = answer.statusCode ?? 0;
  if (status < 300 || also.includes(status)) return answer;
  const tooLong = () => new Error('The refusal is too long to read');
  const content = await readBody(answer, maxRefusalBytes, tooLong).catch(() => Buffer.alloc(0));
  return inOurWords(refusal(status, readJson(content)), request);
}

async function requestOf(
  access: NodeAccess,
  workspace: Subject,
  { path, query = {}, headers, body }: FileRequest,
): Promise<NodeRequest> {
  const { workspaceId } = workspace;
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return {
    method: body ? 'POST' : 'GET',
    path: `/workspaces/${workspaceId}/${path}?${new URLSearchParams(given)}`,
    workspaceId,
    token: await managementToken(access, workspace),
    timeoutMs: access.timeoutMs,
    ...(headers ? { headers } : {}),
    ...(body ? { body } : {}),
  };
}

/** The fields of a form are in its body. */
function inOurWords(error: unknown, { body }: FileRequest): never {
  throw error instanceof NodeRefused ? fileRefusal(error, body ? 'body' : 'path') : error;
}

function fileRefusal({ status, reason }: NodeRefused, field: string): DomainError {
  const invalid = (message: string) => new InvalidRequest('The request is invalid', [{ field, message }]);
  switch (reason) {
    case 'not_found':
      return new NotFound('File');
    case 'forbidden':
      return new Forbidden('The path leads out of the workspace');
    case 'invalid_request':
      return invalid('The path cannot be read by this request, or is not a valid file name');
    case 'payload_too_large':
      return tooLarge('The file, or all files together, exceed the limit (50 MiB a file, 250 MiB in all)');
    case 'invalid_transition':
      return workspaceNotRunning('not running on its node');
    default:
      return new Unavailable(`The node refused (${status} ${reason})`);
  }
}

import type { z } from 'zod/mini';
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import { fieldErrors } from '../../edge/parse-request.js';

/** @throws {RpcFailure} naming the fields that are wrong */
export function readParams<Schema extends z.ZodMiniType>(
  schema: Schema,
  params: unknown = {},
): z.output<Schema> {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  throw invalidParams('params', read.error.issues);
}

export function invalidParams(part: string, issues: readonly z.core.$ZodIssue[]): RpcFailure {
  const details = issues.flatMap((issue) => fieldErrors(part, issue)).map(explainIdentity);
  return new RpcFailure(rpcCodes.params, 'The parameters are invalid', { details });
}

const identities = [
  'project',
  'user',
  'task',
  'session',
  'chatsession',
  'workspace',
  'agentsession',
  'owner',
];

/** A model that names itself is told that it need not, instead of leaving it to guess another spelling. */
function explainIdentity({ field, message }: { readonly field: string; readonly message: string }) {
  const name = field.split('.').at(-1)?.replaceAll('_', '').toLowerCase().replace(/id$/, '') ?? '';
  const isIdentity = message === 'Unknown field' && identities.includes(name);
  return { field, message: isIdentity ? 'Comes from the token and is no argument' : message };
}

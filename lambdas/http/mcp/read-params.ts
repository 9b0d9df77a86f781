import type { z } from 'zod/mini';
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import { fieldErrors } from '../../edge/parse-request.js';

/** @throws {RpcFailure} with the invalid fields */
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

/**
 * Informs a model that passes its own id that the token has it, so that it does not try other
 * spellings.
 */
function explainIdentity({ field, message }: { readonly field: string; readonly message: string }) {
  const name = field.split('.').at(-1)?.replaceAll('_', '').toLowerCase().replace(/id$/, '') ?? '';
  const isIdentity = message === 'Unknown field' && identities.includes(name);
  return { field, message: isIdentity ? 'Not an argument: the server takes it from your token' : message };
}

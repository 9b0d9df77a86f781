import * as z from 'zod/mini';
import type { Tool } from '../../domain/mcp/tool.js';
import { tools } from '../../domain/mcp/tools.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { jsonSchema } from '../../edge/openapi/json-schema.js';
import { readParams } from './read-params.js';

/** One page holds them all, so that nobody was ever given a cursor. */
const Params = z.strictObject({ _meta: z.optional(z.unknown()) });

/** The tools that the caller has a use for: a conversation is not shown those of a task. */
export function listTools({ params, caller }: Pick<McpRequest, 'params' | 'caller'>) {
  readParams(Params, params);
  const useful = tools.filter(({ needsTask }) => !needsTask || caller.token.taskId !== null);
  return { tools: useful.map(describe) };
}

const describe = ({ name, description, args, isReadOnly }: Tool) => ({
  name,
  description,
  inputSchema: jsonSchema(args, 'input'),
  annotations: { readOnlyHint: isReadOnly },
});

import * as z from 'zod/mini';
import type { Tool } from '../../domain/mcp/tool.js';
import { tools } from '../../domain/mcp/tools.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { jsonSchema } from '../../edge/openapi/json-schema.js';
import { readParams } from './read-params.js';

/** One page has all tools, so that no request has a cursor. */
const Params = z.strictObject({ _meta: z.optional(z.unknown()) });

/** The tools that the caller can use: a conversation does not see the tools of a task. */
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

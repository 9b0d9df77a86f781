import * as z from 'zod/mini';
import { isSpoken, mcpRevisions } from '../../edge/mcp-message.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { readParams } from './read-params.js';

const Params = z.looseObject({ protocolVersion: z.string() });

/** The client's revision if it is spoken here, else the newest: the client then decides whether it can go on. */
export function initialize({ params }: Pick<McpRequest, 'params'>) {
  const { protocolVersion: wanted } = readParams(Params, params);
  return {
    protocolVersion: isSpoken(wanted) ? wanted : mcpRevisions[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: 'svc-mcp', title: 'Berth', version: '1.0.0' },
    instructions: 'Call get_instructions first: it says what your work is and how it ends.',
  };
}

import * as z from 'zod/mini';
import { isSupported, mcpRevisions } from '../../edge/mcp-message.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { readParams } from './read-params.js';

const Params = z.looseObject({ protocolVersion: z.string() });

/**
 * Returns the client's revision when it is supported, else the newest one: the client decides
 * whether to continue.
 */
export function initialize({ params }: Pick<McpRequest, 'params'>) {
  const { protocolVersion: wanted } = readParams(Params, params);
  return {
    protocolVersion: isSupported(wanted) ? wanted : mcpRevisions[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: 'svc-mcp', title: 'Berth', version: '1.0.0' },
    instructions: 'Call get_instructions first. It returns your task and the instructions for it.',
  };
}

import * as z from 'zod/mini';
import { callTool, repeatCompletion } from '../../domain/mcp/call-tool.js';
import { tools } from '../../domain/mcp/tools.js';
import { mcpTokenInvalid } from '../../domain/mcp-tokens/errors.js';
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { sagasOf } from '../../edge/sagas.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { startRun } from '../tasks/start-run.js';
import { invalidParams, readParams } from './read-params.js';

const sagas = sagasOf('end-run');

const Params = z.looseObject({ name: z.string(), arguments: z.optional(z.unknown()) });

export async function answerToolCall(request: McpRequest): Promise<object> {
  const { tool, prepared } = toolOf(request);
  return callTool(tool, prepared, {
    ...request,
    wakeUpQueues,
    sagas,
    startRun: (task) => startRun(task, request.log),
  });
}

/** Repeats the answer to the call that completed the caller's task. */
export function answerAgain(request: McpRequest): object {
  if (request.method !== 'tools/call') throw mcpTokenInvalid();
  return repeatCompletion(toolOf(request).prepared, request.caller);
}

function toolOf({ params }: McpRequest) {
  const { name, arguments: given = {} } = readParams(Params, params);
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new RpcFailure(rpcCodes.method, `Unknown tool: ${name.slice(0, 100)}`);
  const prepared = tool.prepare(given);
  if ('issues' in prepared) throw invalidParams('arguments', prepared.issues);
  return { tool, prepared };
}

import * as z from 'zod/mini';
import { callAgain, callTool } from '../../domain/mcp/call-tool.js';
import { tools } from '../../domain/mcp/tools.js';
import { mcpTokenInvalid } from '../../domain/mcp-tokens/errors.js';
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { readEnv } from '../../shared/env.js';
import { endParts } from '../tasks/end-parts.js';
import { startRun } from '../tasks/start-run.js';
import { invalidParams, readParams } from './read-params.js';

const env = readEnv({ RUN_TASK_ARN: z.string() });

const Params = z.looseObject({ name: z.string(), arguments: z.optional(z.unknown()) });

export async function answerToolCall(request: McpRequest): Promise<object> {
  const { tool, prepared } = toolOf(request);
  return callTool(tool, prepared, {
    ...request,
    ...{ wakeUpQueues, endParts },
    startRun: (task) => startRun(task, { runTaskArn: env.RUN_TASK_ARN, log: request.log }),
  });
}

/** To an agent whose task has ended. */
export function answerAgain(request: McpRequest): object {
  if (request.method !== 'tools/call') throw mcpTokenInvalid();
  return callAgain(toolOf(request).prepared, request.caller);
}

function toolOf({ params }: McpRequest) {
  const { name, arguments: given = {} } = readParams(Params, params);
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new RpcFailure(rpcCodes.method, `There is no tool ${name.slice(0, 100)}`);
  const prepared = tool.prepare(given);
  if ('issues' in prepared) throw invalidParams('arguments', prepared.issues);
  return { tool, prepared };
}

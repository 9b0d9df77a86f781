import * as z from 'zod/mini';
import { callTool, repeatCompletion } from '../../domain/mcp/call-tool.js';
import type { Tool } from '../../domain/mcp/tool.js';
import { descriptionOf } from '../../domain/mcp/tool-examples.js';
import { tools } from '../../domain/mcp/tools.js';
import { mcpTokenInvalid } from '../../domain/mcp-tokens/errors.js';
import { isEventWakeEnabled } from '../../edge/event-wakes.js';
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import { handshakeRevisions, isHandshake, statelessRevisions } from '../../edge/mcp-revision.js';
import type { McpRequest } from '../../edge/mcp-route.js';
import { offer } from '../../edge/offer.js';
import { jsonSchema } from '../../edge/openapi/json-schema.js';
import { sagasOf } from '../../edge/sagas.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { uploads } from '../../shared/clients/uploads.js';
import { readEnv } from '../../shared/env.js';
import { startRun } from '../tasks/start-run.js';
import { invalidParams, readParams } from './read-params.js';
import { serverInfo, serverParts } from './server-info.js';

const Revision = z.looseObject({ protocolVersion: z.string() });

/**
 * Returns the client's revision when it is supported, else the newest one: the client decides
 * whether to continue.
 */
export function initialize({ params }: Pick<McpRequest, 'params'>) {
  const { protocolVersion: wanted } = readParams(Revision, params);
  return {
    protocolVersion: isHandshake(wanted) ? wanted : handshakeRevisions[0],
    serverInfo,
    ...serverParts,
  };
}

/** Instead of a handshake: which revisions need none. */
export function discover({ params }: Pick<McpRequest, 'params'>) {
  readParams(Page, params);
  return { supportedVersions: statelessRevisions, ...serverParts };
}

/** One page has all tools, so that no request has a cursor. */
const Page = z.strictObject({ _meta: z.optional(z.unknown()) });

/** The tools that the caller can use: a conversation does not see the tools of a task. */
export function listTools({ params, caller }: Pick<McpRequest, 'params' | 'caller'>) {
  readParams(Page, params);
  const useful = tools.filter(({ needsTask }) => !needsTask || caller.token.taskId !== null);
  return { tools: useful.map(describe) };
}

const describe = (tool: Tool) => ({
  name: tool.name,
  description: descriptionOf(tool),
  inputSchema: jsonSchema(tool.args, 'input'),
  annotations: { readOnlyHint: tool.isReadOnly },
});

const env = readEnv({
  PUBLIC_URL: z.url(),
  WORKSPACE_URL_TEMPLATE: z.string(),
  AWS_REGION: z.string(),
  AGENT_MESSAGE_CHANNELS_ENABLED: z._default(z.enum(['true', 'false']), 'false'),
});
const sagas = sagasOf('end-run');

const ToolCall = z.looseObject({ name: z.string(), arguments: z.optional(z.unknown()) });

export async function callNamedTool(request: McpRequest): Promise<object> {
  const { tool, prepared } = toolOf(request);
  return callTool(tool, prepared, {
    ...request,
    wakeUpQueues,
    sagas,
    startRun: (task) => startRun(task, request.log),
    consoleUrl: env.PUBLIC_URL,
    offer,
    historyObjects: uploads,
    workspaceUrlTemplate: env.WORKSPACE_URL_TEMPLATE,
    region: env.AWS_REGION,
    keys: signingKeys,
    isEventWakeEnabled,
    areMessageChannelsEnabled: isEventWakeEnabled && env.AGENT_MESSAGE_CHANNELS_ENABLED === 'true',
  });
}

/** Repeats the answer to the call that completed the caller's task. */
export function answerAgain(request: McpRequest): object {
  if (request.method !== 'tools/call') throw mcpTokenInvalid();
  return repeatCompletion(toolOf(request).prepared, request.caller);
}

function toolOf({ params }: McpRequest) {
  const { name, arguments: given = {} } = readParams(ToolCall, params);
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new RpcFailure(rpcCodes.params, `Unknown tool: ${name.slice(0, 100)}`);
  const prepared = tool.prepare(given);
  if ('issues' in prepared) throw invalidParams('arguments', prepared.issues);
  return { tool, prepared };
}

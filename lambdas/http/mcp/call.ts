// POST /mcp
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import { type McpRequest, mcpRoute } from '../../edge/mcp-route.js';
import { answerAgain, answerToolCall } from './answer-tool-call.js';
import { call } from './contract.js';
import { initialize } from './initialize.js';
import { listTools } from './list-tools.js';

/** The supported methods. The others of the protocol need a stream or are not about tools. */
const methods = new Map<string, (request: McpRequest) => Promise<object> | object>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['tools/list', listTools],
  ['tools/call', answerToolCall],
]);

export const handler = mcpRoute(call, (request) => {
  if (request.caller.hasEnded) return answerAgain(request);
  const answer = methods.get(request.method);
  if (!answer) throw new RpcFailure(rpcCodes.method, `There is no method ${request.method.slice(0, 100)}`);
  return answer(request);
});

// POST /mcp
import { RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import { type McpRequest, mcpRoute } from '../../edge/mcp-route.js';
import { call } from './contract.js';
import { answerAgain, callNamedTool, initialize, listTools } from './methods.js';

/** The supported methods. The others of the protocol need a stream or are not about tools. */
const methods = new Map<string, (request: McpRequest) => Promise<object> | object>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['tools/list', listTools],
  ['tools/call', callNamedTool],
]);

export const handler = mcpRoute(call, (request) => {
  if (request.caller.hasEnded) return answerAgain(request);
  const answer = methods.get(request.method);
  if (!answer) throw new RpcFailure(rpcCodes.method, `There is no method ${request.method.slice(0, 100)}`);
  return answer(request);
});

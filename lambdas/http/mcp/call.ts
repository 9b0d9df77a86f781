// POST /mcp
import { RefusedMessage, RpcFailure, rpcCodes } from '../../edge/json-rpc.js';
import { type McpRequest, mcpRoute } from '../../edge/mcp-route.js';
import { call } from './contract.js';
import { answerAgain, callNamedTool, discover, initialize, listTools } from './methods.js';
import { completed } from './stateless-result.js';

type Method = (request: McpRequest) => Promise<object> | object;

const ofTools = [
  ['tools/list', listTools],
  ['tools/call', callNamedTool],
] as const;

/** The supported methods. The others of the protocol need a stream or are not about tools. */
const methods = {
  handshake: new Map<string, Method>([['initialize', initialize], ['ping', () => ({})], ...ofTools]),
  stateless: new Map<string, Method>([['server/discover', discover], ...ofTools]),
} as const;

export const handler = mcpRoute(call, async (request) => {
  const result = request.caller.hasEnded ? answerAgain(request) : await methodOf(request)(request);
  return request.era === 'stateless' ? completed(request.method, result) : result;
});

function methodOf({ era, method }: McpRequest): Method {
  const found = methods[era].get(method);
  if (found) return found;
  const failure = new RpcFailure(rpcCodes.method, `There is no method ${method.slice(0, 100)}`);
  throw era === 'stateless' ? new RefusedMessage(404, failure) : failure;
}

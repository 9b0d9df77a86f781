/**
 * A bare DynamoDB document client is 342 KB; a route may add Middy, jose and zod/mini, not another
 * SDK.
 */
const routeKb = 460;
/** All tools of agents are one function: each adds some kilobytes, and none an SDK. */
const toolsKb = 600;

/** Largest size of the function of a route. */
export const budgetKbOf = (name: string): number => (name === 'http/mcp/call' ? toolsKb : routeKb);

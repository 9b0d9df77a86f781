import { serverInfo } from './server-info.js';

/** Tools change with a release, and with the task of the caller. */
const cacheMs = 300_000;
const cached: ReadonlySet<string> = new Set(['server/discover', 'tools/list']);

/** A result as the stateless revision has it: it is whole, and states who answers. */
export const completed = (method: string, result: object) => ({
  resultType: 'complete',
  ...result,
  ...(cached.has(method) ? { ttlMs: cacheMs, cacheScope: 'private' } : {}),
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
});

import type { FastifyInstance } from 'fastify';
import { AgentError } from '../errors.js';

/**
 * Answers 405 with the Allow header where the path is a route of other methods. Runs before the
 * body is parsed. Call it before the routes are added.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ method, url }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    paths.set(url, known);
    for (const name of [method].flat()) known.methods.add(name);
  });
  app.addHook('onRequest', async ({ is404, method, url }, reply) => {
    if (!is404) return;
    const path = url.split('?', 1)[0] ?? '';
    const matches = [...paths.values()].filter(({ pattern }) => pattern.test(path));
    const allowed = [...new Set(matches.flatMap(({ methods }) => [...methods]))];
    // An allowed method without a route: a parameter of the path is too long.
    if (allowed.length === 0 || allowed.includes(method)) return;
    reply.header('allow', allowed.join(', '));
    throw new AgentError('method_not_allowed', `This path allows only ${allowed.join(', ')}`);
  });
}

function patternOf(url: string): RegExp {
  const source = url
    .replace(/[.+?()[\]\\^$|{}]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*$/, '.*');
  return new RegExp(`^${source}/?$`);
}

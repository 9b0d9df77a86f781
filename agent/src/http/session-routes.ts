import type { FastifyInstance } from 'fastify';
import { EndSessions, type EndSessionsResult } from '../../../protocol/node-api.js';
import type { SessionEnds } from '../auth/session-ends.js';
import type { TokenChecks } from '../auth/token-checks.js';

/** The control plane says which sign-in sessions are over. It may say so twice. */
export function addSessionRoutes(app: FastifyInstance, tokens: TokenChecks, ends: SessionEnds): void {
  app.post('/sessions/ended', async (request): Promise<EndSessionsResult> => {
    await tokens.node(request.headers);
    const { sessions } = EndSessions.parse(request.body);
    for (const sessionHash of sessions) ends.end(sessionHash);
    return { success: true };
  });
}

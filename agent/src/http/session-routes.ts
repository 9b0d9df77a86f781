import type { FastifyInstance } from 'fastify';
import { EndSessions, type EndSessionsResult } from '../../../protocol/node-api.js';
import type { SessionEnds } from '../auth/session-ends.js';
import type { TokenChecks } from '../auth/token-checks.js';

/** The control plane says which sign-in sessions are over. It may say so twice. */
export function addSessionRoutes(
  app: FastifyInstance,
  tokens: Pick<TokenChecks, 'node'>,
  ends: Pick<SessionEnds, 'end'>,
): void {
  app.post('/sessions/ended', async (request): Promise<EndSessionsResult> => {
    await tokens.node(request.headers);
    const { sessions } = EndSessions.parse(request.body);
    const failures: unknown[] = [];
    for (const sessionHash of sessions) {
      try {
        ends.end(sessionHash);
      } catch (error) {
        // The others end all the same; the control plane says all of it again.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return { success: true };
  });
}

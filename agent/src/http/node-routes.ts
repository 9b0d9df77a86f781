import { nodeContracts } from '../../api/node.js';
import type { SessionEnds } from '../auth/session-ends.js';
import type { Router } from './router.js';

export function addNodeRoutes(router: Router, sessionEnds: Pick<SessionEnds, 'end'>): void {
  router.route(nodeContracts.health, () => ({ status: 200, body: { status: 'healthy' } }));

  router.route(nodeContracts.endSessions, ({ body }) => {
    const failures: unknown[] = [];
    for (const sessionHash of body.sessions) {
      try {
        sessionEnds.end(sessionHash);
      } catch (error) {
        // One failure does not keep the other sessions open; the control plane repeats the request.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return { status: 200, body: { success: true } };
  });
}

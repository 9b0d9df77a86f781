// GET /api/credentials/limits
import { limitsOf, listUsage } from '../../domain/credentials/credential-limits.js';
import { sessionRoute } from '../../edge/session-route.js';
import { limits } from './contract.js';

export const handler = sessionRoute(limits, async ({ table, user, now }) => {
  const usage = await listUsage(table, { kind: 'user', id: user.userId });
  return { status: 200, body: { credentials: limitsOf(usage), generatedAt: now.toISOString() } };
});

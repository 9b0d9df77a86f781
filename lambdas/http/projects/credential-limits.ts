// GET /api/projects/{projectId}/credential-limits
import { Ulid } from '../../../protocol/ids.js';
import { limitsInProject } from '../../domain/credentials/limits-in-project.js';
import { SessionAttribution, sessionAttributionKey } from '../../domain/credentials/session-credential.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { pathId } from '../../edge/parse-request.js';
import { credentialLimits } from './contract.js';

export const handler = capabilityRoute(
  credentialLimits,
  async ({ table, params, query, user, find, now }) => {
    const { projectId } = params;
    const { agentSessionId } = query;
    const item = agentSessionId && find(sessionAttributionKey(projectId, agentSessionId));
    const only = item ? SessionAttribution.parse(item) : null;
    const credentials = await limitsInProject(table, {
      ...{ projectId, userId: user.userId },
      ...(agentSessionId ? { only } : {}),
    });
    return { status: 200, body: { credentials, generatedAt: now.toISOString() } };
  },
  (event) => {
    const { data } = Ulid.safeParse(new URLSearchParams(event.rawQueryString).get('agentSessionId'));
    return data ? [sessionAttributionKey(pathId(event, 'projectId'), data)] : [];
  },
);

import * as z from 'zod/mini';
import { limitsInProject } from '../../credentials/limits-in-project.js';
import { findSessionCredential } from '../../credentials/session-credential.js';
import { allow } from '../../policy/allow.js';
import { tool } from '../tool.js';

export const getCredentialLimits = tool({
  name: 'get_credential_limits',
  description:
    'Return how near credentials are to the rate limits of their providers: level (ok, warning, critical, rejected) and windows with utilization and reset time. scope "session" (default) returns the credential of your session, scope "project" all that your person sees in the project. Call it before you dispatch much work, and wait until resetsAt when the level is critical or rejected. Example: {"scope": "project"}. Changes nothing.',
  policy: { equals: ['project.readCredentialLimits'] },
  isReadOnly: true,
  args: z.strictObject({
    scope: z._default(
      z
        .enum(['session', 'project'])
        .check(z.describe('session: your credential. project: all that are visible.')),
      'session',
    ),
  }),
  handle: async ({ scope }, { caller, table, now }) => {
    const { token, userId, project } = caller;
    const { projectId } = allow('project.readCredentialLimits', caller, project);
    const only =
      scope === 'session' ? { only: (await findSessionCredential(table, token)) ?? null } : undefined;
    const credentials = await limitsInProject(table, { projectId, userId, ...only });
    return { scope, credentials, generatedAt: now.toISOString() };
  },
});

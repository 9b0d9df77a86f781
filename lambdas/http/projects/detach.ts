// DELETE /api/projects/{projectId}
import { detachProject } from '../../domain/projects/change-project.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { detach } from './contract.js';

export const handler = capabilityRoute(detach, async ({ project, table, now }) => {
  await detachProject(table, project, now);
  return { status: 200, body: { success: true, status: 'detached' } };
});

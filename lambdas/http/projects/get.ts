// GET /api/projects/{projectId}
import { capabilityRoute } from '../../edge/capability-route.js';
import { get } from './contract.js';
import { projectView } from './project-view.js';

export const handler = capabilityRoute(get, ({ project, member }) => ({
  status: 200,
  body: projectView(project, member),
}));

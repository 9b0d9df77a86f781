// GET /api/projects
import { listProjects } from '../../domain/projects/list-projects.js';
import { sessionRoute } from '../../edge/session-route.js';
import { list } from './contract.js';

export const handler = sessionRoute(list, async ({ query, user, table }) => {
  const page = { limit: query.limit, cursor: query.cursor, cursorKey: user.cursorKey };
  const { members, nextCursor } = await listProjects(table, user.userId, page);
  return {
    status: 200,
    body: {
      projects: members.map(({ projectId, role, project }) => ({ ...project, id: projectId, role })),
      nextCursor,
    },
  };
});

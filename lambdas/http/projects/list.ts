// GET /api/projects
import { listProjects } from '../../domain/projects/list-projects.js';
import { sessionRoute } from '../../edge/session-route.js';
import { list } from './contract.js';

export const handler = sessionRoute(list, async ({ query, user, table }) => {
  const { limit, cursor, status } = query;
  const { members, nextCursor } = await listProjects(
    table,
    { userId: user.userId, status },
    { limit, cursor, cursorKey: user.cursorKey },
  );
  return {
    status: 200,
    body: {
      projects: members.map(({ projectId, role, project }) => ({ ...project, id: projectId, role })),
      nextCursor,
    },
  };
});

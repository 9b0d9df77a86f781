// POST /api/projects
import { authoriseRepository } from '../../domain/code-host/repository-access.js';
import { createProject } from '../../domain/projects/create-project.js';
import { findUser } from '../../domain/users/find-user.js';
import { codeHost } from '../../edge/code-host.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionRoute } from '../../edge/session-route.js';
import { create } from './contract.js';
import { projectView } from './project-view.js';

export const handler = sessionRoute(create, async ({ body, user, table, now, newId, log }) => {
  const { userId } = user;
  const { installationId } = body;
  const repository = await authoriseRepository(
    { table, secrets: secretBox, codeHost },
    { userId, installationId, repository: body.repository, now },
  );
  const { project, member } = await createProject(
    table,
    {
      projectId: newId(),
      userId,
      name: body.name,
      description: body.description ?? null,
      installationId,
      repository: repository.fullName,
      githubRepoId: repository.id,
      defaultBranch: body.defaultBranch ?? repository.defaultBranch,
    },
    { owner: await findUser(table, userId), now },
  );
  log.info('Project created', { projectId: project.projectId });
  const location = `/api/projects/${project.projectId}`;
  return { status: 201, body: projectView(project, member), headers: { location } };
});

// POST /api/projects
import { authoriseRepository } from '../../domain/code-host/repository-access.js';
import { createOnce } from '../../domain/idempotency/create-once.js';
import { createProject, findProjectOf } from '../../domain/projects/create-project.js';
import { findUser } from '../../domain/users/find-user.js';
import { codeHost } from '../../edge/code-host.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionRoute } from '../../edge/session-route.js';
import { create } from './contract.js';
import { projectView } from './project-view.js';

export const handler = sessionRoute(create, async ({ request, body, user, table, now, newId, log }) => {
  const { userId } = user;
  const { installationId } = body;
  const repository = await authoriseRepository(
    { table, secrets: secretBox, codeHost },
    { userId, installationId, repository: body.repository, now },
  );
  const draft = {
    userId,
    name: body.name,
    description: body.description ?? null,
    installationId,
    repository: repository.fullName,
    githubRepoId: repository.id,
    defaultBranch: body.defaultBranch ?? repository.defaultBranch,
  };
  const owner = await findUser(table, userId);
  const { project, member } = await createOnce(table, {
    kind: 'project',
    userId,
    key: idempotencyKeyOf(request, body),
    newId,
    now,
    find: (projectId) => findProjectOf(table, projectId, userId),
    create: (projectId) => createProject(table, { ...draft, projectId }, { owner, now }),
  });
  log.info('Project created', { projectId: project.projectId });
  const location = `/api/projects/${project.projectId}`;
  return { status: 201, body: projectView(project, member), headers: { location } };
});

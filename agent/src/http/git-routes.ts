import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { GitQueries, Repository } from '../git/git-queries.js';
import type { Worktrees } from '../git/worktrees.js';
import { WorktreeQuery } from './file-routes.js';
import { type Admission, admit, Flag, Path, Revision } from './workspace-request.js';

export interface GitRouteParts extends Admission {
  readonly git: GitQueries;
  readonly worktrees: Worktrees;
}

export const DiffQuery = z.object({ path: z.optional(Path), staged: Flag, base: z.optional(Revision) }).check(
  z.refine(({ staged, base }) => !(staged && base), {
    path: ['base'],
    message: 'Not together with staged',
  }),
);
export const RevisionQuery = z.object({ path: Path, ref: z._default(Revision, 'HEAD') });
export const NewWorktree = z.strictObject({
  branch: Revision,
  createBranch: z._default(z.boolean(), false),
  baseBranch: z._default(z.nullable(Revision), null),
});
export const RemoveQuery = z.object({ path: Path, force: Flag });

/** What git knows of a workspace, and its working trees. */
export function addGitRoutes(app: FastifyInstance, parts: GitRouteParts): void {
  const { git, worktrees } = parts;
  const repositoryOf = async (request: FastifyRequest): Promise<Repository> => {
    const workspace = await admit(request, parts);
    const { worktree } = WorktreeQuery.parse(request.query);
    return { workspace, folder: await worktrees.folder(workspace, worktree) };
  };

  app.get('/workspaces/:workspaceId/git/status', async (request) => git.status(await repositoryOf(request)));

  app.get('/workspaces/:workspaceId/git/diff', async (request) => {
    const repository = await repositoryOf(request);
    const { path = null, staged, base = null } = DiffQuery.parse(request.query);
    return git.diff(repository, { path, staged, base });
  });

  app.get('/workspaces/:workspaceId/git/file', async (request) => {
    const repository = await repositoryOf(request);
    const { path, ref } = RevisionQuery.parse(request.query);
    return git.file(repository, path, ref);
  });

  app.get('/workspaces/:workspaceId/git/branches', async (request) =>
    git.branches(await repositoryOf(request)),
  );

  app.get('/workspaces/:workspaceId/worktrees', async (request) => ({
    worktrees: await worktrees.list(await admit(request, parts)),
  }));

  app.post('/workspaces/:workspaceId/worktrees', async (request, reply) => {
    const workspace = await admit(request, parts);
    const worktree = await worktrees.create(workspace, NewWorktree.parse(request.body));
    reply.status(201);
    return worktree;
  });

  app.delete('/workspaces/:workspaceId/worktrees', async (request) => {
    const workspace = await admit(request, parts);
    const { path, force } = RemoveQuery.parse(request.query);
    await worktrees.remove(workspace, path, force);
    return { removed: path };
  });
}

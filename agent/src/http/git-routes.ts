import { gitContracts } from '../../api/git.js';
import type { GitQueries, Repository } from '../git/git-queries.js';
import type { Worktrees } from '../git/worktrees.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Router } from './router.js';

export interface GitRouteDeps {
  readonly git: GitQueries;
  readonly worktrees: Worktrees;
}

export function addGitRoutes(router: Router, deps: GitRouteDeps): void {
  addQueries(router, deps);
  addWorktreeRoutes(router, deps.worktrees);
}

function addQueries(router: Router, { git, worktrees }: GitRouteDeps): void {
  const repositoryOf = async (
    workspace: Workspace,
    { worktree }: { worktree?: string | undefined },
  ): Promise<Repository> => ({ workspace, folder: await worktrees.folder(workspace, worktree) });

  router.route(gitContracts.gitStatus, async ({ workspace, query }) => ({
    status: 200,
    body: await git.status(await repositoryOf(workspace, query)),
  }));

  router.route(gitContracts.gitDiff, async ({ workspace, query }) => {
    const { path = null, staged, base = null } = query;
    const repository = await repositoryOf(workspace, query);
    return { status: 200, body: await git.diff(repository, { path, staged, base }) };
  });

  router.route(gitContracts.gitFile, async ({ workspace, query }) => {
    const repository = await repositoryOf(workspace, query);
    return { status: 200, body: await git.file(repository, query.path, query.ref) };
  });

  router.route(gitContracts.gitBranches, async ({ workspace, query }) => ({
    status: 200,
    body: await git.branches(await repositoryOf(workspace, query)),
  }));
}

function addWorktreeRoutes(router: Router, worktrees: Worktrees): void {
  router.route(gitContracts.listWorktrees, async ({ workspace }) => ({
    status: 200,
    body: await worktrees.list(workspace),
  }));

  router.route(gitContracts.createWorktree, async ({ workspace, body }) => ({
    status: 201,
    body: await worktrees.create(workspace, body),
  }));

  router.route(gitContracts.removeWorktree, async ({ workspace, query }) => {
    await worktrees.remove(workspace, query.path, query.force);
    return { status: 200, body: { removed: query.path } };
  });
}

import { fileContracts } from '../../api/files.js';
import type { Files } from '../files/files.js';
import type { PlainFiles } from '../files/plain-files.js';
import type { Uploads } from '../files/uploads.js';
import type { Worktrees } from '../git/worktrees.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Router } from './router.js';
import { sendDownload, sendRaw } from './send-file.js';

export interface FileRouteDeps {
  readonly files: Files;
  readonly plainFiles: PlainFiles;
  readonly uploads: Uploads;
  readonly worktrees: Worktrees;
}

export function addFileRoutes(router: Router, deps: FileRouteDeps): void {
  const { files, plainFiles, uploads, worktrees } = deps;
  const folderOf = async (workspace: Workspace, { worktree }: { worktree?: string | undefined }) =>
    worktree && (await worktrees.folder(workspace, worktree));

  router.route(fileContracts.listFiles, async ({ workspace, query }) => {
    const folder = await folderOf(workspace, query);
    return { status: 200, body: await files.list(workspace, { path: query.path, folder }) };
  });

  router.route(fileContracts.findFiles, async ({ workspace, query }) => {
    const folder = await folderOf(workspace, query);
    return { status: 200, body: await files.find(workspace, { path: query.path, folder }, query.query) };
  });

  router.route(fileContracts.rawFile, async ({ workspace, query }, http) => {
    const path = { path: query.path, folder: await folderOf(workspace, query) };
    return sendRaw({ ...http, files, plainFiles, workspace, path });
  });

  router.route(fileContracts.downloadFile, async ({ workspace, query }, http) => {
    const path = { path: query.path, folder: await folderOf(workspace, query) };
    return sendDownload({ ...http, files, plainFiles, workspace, path });
  });

  router.route(fileContracts.uploadFiles, async ({ workspace, query }, { request }) => {
    const folder = await folderOf(workspace, query);
    return { status: 200, body: { files: await uploads.receive(workspace, request.raw, folder) } };
  });
}

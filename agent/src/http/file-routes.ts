import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { Transfer } from '../../../protocol/workspace-files.js';
import type { Files } from '../files/files.js';
import type { PlainFiles } from '../files/plain-files.js';
import type { Uploads } from '../files/uploads.js';
import type { Worktrees } from '../git/worktrees.js';
import { sendDownload, sendRaw } from './send-file.js';
import { type Admission, admit, Path } from './workspace-request.js';

export interface FileRouteParts extends Admission {
  readonly files: Files;
  readonly plainFiles: PlainFiles;
  readonly uploads: Uploads;
  readonly worktrees: Worktrees;
}

export const WorktreeQuery = z.object({ worktree: z.optional(Path) });
export const FolderQuery = z.object({ path: z._default(Path, '.') });
export const FindQuery = z.object({
  path: z._default(Path, '.'),
  query: z._default(z.string().check(z.maxLength(250)), ''),
});
export const FileQuery = z.object({ path: Path });

/** The files of a workspace. */
export function addFileRoutes(app: FastifyInstance, parts: FileRouteParts): void {
  const { files, plainFiles, uploads, worktrees } = parts;
  const placeOf = async (request: FastifyRequest, transfer?: Transfer) => {
    const workspace = await admit(request, parts, transfer);
    const { worktree } = WorktreeQuery.parse(request.query);
    return { workspace, folder: worktree && (await worktrees.folder(workspace, worktree)) };
  };

  app.get('/workspaces/:workspaceId/files/list', async (request) => {
    const { workspace, folder } = await placeOf(request);
    return files.list(workspace, { ...FolderQuery.parse(request.query), folder });
  });

  app.get('/workspaces/:workspaceId/files/find', async (request) => {
    const { workspace, folder } = await placeOf(request);
    const { path, query } = FindQuery.parse(request.query);
    return files.find(workspace, { path, folder }, query);
  });

  app.get('/workspaces/:workspaceId/files/raw', async (request, reply) => {
    const { workspace, folder } = await placeOf(request, 'raw');
    const path = { ...FileQuery.parse(request.query), folder };
    return sendRaw({ request, reply, files, plainFiles, workspace, path });
  });

  app.get('/workspaces/:workspaceId/files/download', async (request, reply) => {
    const { workspace, folder } = await placeOf(request, 'download');
    const path = { ...FileQuery.parse(request.query), folder };
    return sendDownload({ request, reply, files, plainFiles, workspace, path });
  });

  // Only here may a body be a form; its parts are read as they come.
  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_, __, done) => done(null));
    const options = { config: { isStreamed: true } };
    scope.post('/workspaces/:workspaceId/files/upload', options, async (request, reply) => {
      try {
        const { workspace, folder } = await placeOf(request, 'upload');
        return { files: await uploads.receive(workspace, request.raw, folder) };
      } catch (error) {
        // What still comes is read to nothing, so that the client gets to see the answer.
        request.raw.resume();
        reply.header('connection', 'close');
        throw error;
      }
    });
  });
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultBranch, type Repository } from './directory.js';
import { type HostRequest, problem, type Reply } from './reply.js';

const run = promisify(execFile);
const mostBytes = 1_048_576;

/**
 * `GET /repos/{owner}/{name}/contents/{path}?ref={branch}`: the raw text of a file, as callers get
 * it that accept `application/vnd.github.raw+json`. Folders are not found.
 */
export async function contentOf(
  repositories: string,
  { owner, name, path }: Pick<Repository, 'owner' | 'name'> & { readonly path: string },
  { url }: Pick<HostRequest, 'url'>,
): Promise<Reply> {
  const folder = join(repositories, owner, `${name}.git`);
  const blob = `refs/heads/${url.searchParams.get('ref') ?? defaultBranch}:${path}`;
  try {
    const { stdout } = await run('git', ['-C', folder, 'cat-file', 'blob', blob], { maxBuffer: mostBytes });
    return { status: 200, headers: { 'content-type': 'application/vnd.github.raw+json' }, body: stdout };
  } catch {
    return problem(404, 'Not Found');
  }
}

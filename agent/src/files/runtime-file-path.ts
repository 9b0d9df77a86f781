import { posix } from 'node:path';

const maxLength = 1_024;
const reservedOfSsh = new Set(['authorized_keys', 'rc', 'environment']);

/**
 * The absolute path of a file of a profile or skill, or why it is refused. A relative path is one
 * in the repository.
 */
export function runtimeFilePath(
  path: string,
  { root, workDir }: { readonly root: string; readonly workDir: string },
): { readonly absolute: string } | { readonly reason: string } {
  const reason = refusal(path);
  if (reason) return { reason };
  const absolute = posix.resolve(workDir, path);
  if (!absolute.startsWith(`${root}/`)) return { reason: `It leads out of the workspace (${root})` };
  return { absolute };
}

function refusal(path: string): string | null {
  if (path === '' || path.length > maxLength) return `It must have 1 to ${maxLength} characters`;
  if (/\p{Cc}/u.test(path)) return 'It has a control character';
  const names = path.replace(/^\//, '').split('/');
  if (names.includes('~')) return 'It leads out of the workspace, to the home folder';
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'It has an empty name, "." or ".."';
  if (names.some((name) => name.toLowerCase() === '.git')) return 'It is in a folder of git';
  const [folder, file = ''] = names.slice(-2);
  return folder === '.ssh' && reservedOfSsh.has(file) ? 'It would admit or configure logins by ssh' : null;
}

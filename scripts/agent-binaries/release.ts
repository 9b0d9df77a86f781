import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Release {
  /** The commit, 40 hexadecimal characters. */
  readonly id: string;
  /**
   * Whether files differ from that commit: such a build can be tried, and must not be published.
   */
  readonly isModified: boolean;
}

/** What a build of this checkout is called. @throws outside of a git checkout */
export function currentRelease(): Release {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return { id: git('rev-parse', 'HEAD'), isModified: git('status', '--porcelain') !== '' };
}

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { offlineGitCommand } from './hardened-git.js';

/**
 * The clone runs on the node, in a sandbox of its own; the other file only quotes what git says.
 */
const exempt = /\/git\/(?:clone|git-failures)\.ts$/;

it('every file of the agent that runs git in a workspace uses hardened-git', () => {
  const command =
    /(?<![.\w])git (?:-|status|diff|config|rev-|ls-|cat-|for-each-ref|worktree|fetch|read-tree|checkout|update-|submodule)|\['git'/;
  const unsafe = globSync('agent/src/**/*.ts')
    .filter((file) => !/\.test\.ts$|\/hardened-git\.ts$/.test(file) && !exempt.test(file))
    .filter((file) => {
      const code = readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
      return command.test(code) && !code.includes('hardened-git.js');
    });

  expect(unsafe).toEqual([]);
});

describe('in each shell and with each git', () => {
  let folder: string;
  const canary = () => join(folder, 'canary');
  const sh = (script: string) =>
    execFileSync('sh', ['-c', script], { cwd: join(folder, 'repository'), stdio: 'pipe' });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hardened-git-'));
    mkdirSync(join(folder, 'repository'));
    sh(`git init -q && printf old >file && printf 'file filter=x' >.gitattributes && git add . &&
      git -c user.name=a -c user.email=a@example.com commit -qm first && printf new >file`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function status(shell: string, path = process.env.PATH): string {
    const [, ...args] = offlineGitCommand('status', '--porcelain');
    // With what an image may set for everything that runs in it.
    const env = {
      PATH: path,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: `touch ${canary()}`,
    };
    return execFileSync(shell, args, { cwd: join(folder, 'repository'), env, stdio: 'pipe' }).toString();
  }

  /** A git that reads settings as it did before 2.31. */
  function oldGit(version: string): string {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh\nunset GIT_CONFIG_COUNT\n[ "$1" = version ] && { echo git version ${version}; exit; }\nexec ${real} "$@"\n`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    return `${bin}:${process.env.PATH}`;
  }

  const shells = ['/bin/sh', '/bin/dash', '/bin/bash'].filter(existsSync);

  it.each(shells)('%s runs no filter, whatever its name', (shell) => {
    for (const name of ['x', 'a=b', "it's", '*', 'a.b', 'ü \\" $(x)']) {
      writeFileSync(join(folder, 'repository/.git/info/attributes'), `file filter=${name}\n`);
      execFileSync('git', ['config', `filter.${name}.clean`, `touch ${canary()}; cat`], {
        cwd: join(folder, 'repository'),
      });
    }

    expect(status(shell)).toContain(' M file');
    expect(existsSync(canary())).toBe(false);
  });

  it('overrides settings for git before 2.31, which knows no GIT_CONFIG_COUNT', () => {
    sh(
      `git config filter.x.clean 'touch ${canary()}; cat'; git config core.fsmonitor 'touch ${canary()}; true'`,
    );

    expect(status('/bin/sh', oldGit('2.25.1'))).toContain(' M file');
    expect(existsSync(canary())).toBe(false);
  });

  it('refuses a setting name that git before 2.31 cannot override', () => {
    sh(`git config 'filter.a=b.clean' 'touch ${canary()}; cat'`);

    expect(() => status('/bin/sh', oldGit('2.30.9'))).toThrow(expect.objectContaining({ status: 51 }));
    expect(existsSync(canary())).toBe(false);
  });
});

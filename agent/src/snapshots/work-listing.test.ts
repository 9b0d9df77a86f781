import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LocalWorkspace } from '../../../test/integration/snapshots/local-workspace.js';
import { statusesOf } from './tree-listing.js';
import { hashOfWork, listWork } from './work-listing.js';
import { WorkspaceShell } from './workspace-shell.js';

function workspace(script: string) {
  const machine = new LocalWorkspace();
  mkdirSync(machine.workDir);
  machine.sh(`git init -q -b main && echo one >file && git add . && git commit -qm one\n${script}`);
  const counted = { atOnce: 0, mostAtOnce: 0, scripts: 0 };
  const open = machine.commands.open.bind(machine.commands);
  machine.commands.open = async (...request) => {
    counted.scripts += 1;
    counted.atOnce += 1;
    counted.mostAtOnce = Math.max(counted.mostAtOnce, counted.atOnce);
    const running = await open(...request);
    running.ended.finally(() => {
      counted.atOnce -= 1;
    });
    return running;
  };
  const shell = new WorkspaceShell(machine.commands, machine.workspace, AbortSignal.timeout(60_000));
  return { machine, shell, counted };
}

/** A checkout, and what git says that nobody ignores in it. */
async function listed(shell: WorkspaceShell) {
  const { repositories, loose } = await listWork(shell);
  const checkouts = repositories.flatMap((repository) => repository.checkouts);
  return { checkouts, loose: (await loose).map(({ path }) => path).sort() };
}

it('a workspace with 21 checkouts is listed by five scripts, at most four at a time', async () => {
  const { shell, counted } = workspace(
    'for n in $(seq 20); do git worktree add -q ../wt-$n -b inner-$n && echo $n >../wt-$n/own; done',
  );

  const { checkouts } = await listed(shell);

  expect(checkouts.map(({ worktree }) => worktree).filter(Boolean)).toHaveLength(20);
  for (const { folder, listing } of checkouts)
    expect([folder, listing.changed.map(({ path }) => path)]).toEqual([
      folder,
      folder === shell.place.workDir ? [] : ['own'],
    ]);
  expect(counted).toMatchObject({ scripts: 5, atOnce: 0 });
  expect(counted.mostAtOnce).toBeLessThanOrEqual(4);
});

it.each([
  ['nothing', 'true'],
  [
    'changed, staged, deleted and untracked files',
    `for n in a b c; do echo $n >$n; done && git add . && git commit -qm more
     echo two >>file && git add file && echo three >>file && git rm -q a && rm b && git mv c d
     mkdir -p x/y && echo z >x/y/z && echo 'a b' >'a b' && echo u >ümlaut && printf x >"$(printf 'two\\nlines')"
     echo n >-n && git add -N -- -n && echo 'ignored/' >.gitignore && mkdir ignored && echo i >ignored/i`,
  ],
  ['a name that is no UTF-8', `echo x >"$(printf 'caf\\351')" && echo y >"$(printf 'caf\\303\\251')"`],
  [
    'repositories inside, and a submodule',
    `git init -q vendor && echo v >vendor/v && git init -q empty
     git clone -q . ../source && source=$(cd ../source && pwd) && git -c protocol.file.allow=always submodule --quiet add "$source" sub && echo s >sub/s`,
  ],
  [
    'a merge with conflicts',
    `git checkout -qb side && echo side >file && git commit -qam side && git checkout -q main && echo main >file && git commit -qam main; git merge -q side >/dev/null; true`,
  ],
  ['no commit', 'rm -rf .git && git init -q && echo a >a && git add a && echo b >b'],
])('the status of a listing is that of git: %s', async (_, script) => {
  const { shell } = workspace(script);

  const [main] = (await listed(shell)).checkouts;

  expect(await statusesOf(shell, [shell.place.workDir])).toEqual([main?.listing.statusSha256]);
});

it('the files of a repository inside that has no UTF-8 name are found', async () => {
  const { shell } = workspace(
    `git init -q "$(printf 'caf\\351')" && cd "$(printf 'caf\\351')" && echo one >inside`,
  );

  expect((await listed(shell)).loose).toContainEqual(expect.stringMatching(/^repo\/caf.\/inside$/));
});

it('a change in a further checkout changes the hash', async () => {
  const { machine, shell } = workspace('for n in 1 2 3; do git worktree add -q ../wt-$n -b inner-$n; done');
  const hash = await hashOfWork(shell);
  expect(await hashOfWork(shell)).toBe(hash);

  machine.sh('echo more >>../wt-3/file');

  expect(await hashOfWork(shell)).not.toBe(hash);
});

it('a further checkout that git cannot list fails the listing', async () => {
  const { machine, shell } = workspace('for n in 1 2 3; do git worktree add -q ../wt-$n -b inner-$n; done');
  machine.sh('echo broken >.git/worktrees/wt-2/index');

  await expect(listWork(shell)).rejects.toThrow();
});

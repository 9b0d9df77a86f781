import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotLimits } from '../../../agent/src/snapshots/snapshot-budget.js';
import { SnapshotManifest } from '../../../protocol/snapshots.js';
import { captureInto, restoreFrom } from './capture-and-restore.js';
import { LocalWorkspace } from './local-workspace.js';
import { ObjectStore } from './object-store.js';

let store: ObjectStore;
beforeAll(async () => {
  store = await ObjectStore.start();
});
afterAll(() => store[Symbol.asyncDispose]());

let origin: string;
let old: LocalWorkspace;

beforeEach(() => {
  store.fault = 'none';
  const seed = new LocalWorkspace();
  origin = join(seed.folder, 'origin.git');
  mkdirSync(seed.workDir);
  seed.sh(
    `git init -q -b main && for n in 1 2 3 4 5; do echo "line $n" >file$n && git add . && git commit -qm "commit $n"; done
     printf 'ignored/\\n*.log\\n' >.gitignore && mkdir -p 'dir with space' && echo deep >'dir with space/ümlaut' && git add . && git commit -qm more
     git checkout -qb other && echo theirs >file1 && git commit -qam theirs && git checkout -q main
     git clone -q --bare . ${origin} && git -C ${origin} config uploadpack.allowFilter true
     git -C ${origin} config uploadpack.allowAnySHA1InWant true`,
  );
  old = new LocalWorkspace();
  old.clone(origin);
});

async function hibernate(machine: LocalWorkspace, limits: Partial<SnapshotLimits> = {}) {
  const { manifest } = await captureInto(store, machine, limits);
  return { manifest, status: manifest.status };
}

const restoreInto = async (machine: LocalWorkspace, manifest: SnapshotManifest) =>
  (await restoreFrom(store, machine, manifest)).missing;

const everything = `git status --porcelain=v2 --branch -uall | grep -v '^# branch.[uoa]' ; git ls-files -s ; git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/stash
  git stash list ; git diff ; git diff --cached ; git log --oneline -20 ; git worktree list | wc -l ; git config --local --get-regexp '^branch\\.topic' | sort | sha256sum ; cat .git/MERGE_MSG .git/rebase-merge/git-rebase-todo 2>/dev/null; true`;

/** A state of a person's repository, and what makes it. */
const states: readonly (readonly [string, string])[] = [
  ['nothing changed', 'true'],
  [
    'changed, staged, untracked, deleted and ignored files',
    `echo new >>file1; echo staged >file2; git add file2; echo more >>file2; rm file3; git rm -q file4
     echo untracked >'a new file'; mkdir -p x/y && echo z >x/y/z; chmod +x x/y/z; ln -s ../file1 x/link; mkdir -p ignored && echo i >ignored/i; printf 'name\\twith\\ttabs' >'tab\tname'`,
  ],
  [
    'local commits on a new branch with settings of its own',
    `git checkout -qb feature && echo f >f && git add f && git commit -qm local && git config branch.feature.remote origin && git config user.email me@example.com`,
  ],
  [
    'in the middle of a merge with conflicts',
    `echo mine >file1 && git commit -qam mine; git merge origin/other; echo half >>file1; echo also >note`,
  ],
  [
    'in the middle of a rebase',
    `git checkout -qb mine && echo mine >file1 && git commit -qam one && echo two >file2 && git commit -qam two; git rebase origin/other; true`,
  ],
  [
    'in the middle of a cherry-pick',
    `echo mine >file1 && git commit -qam mine; git cherry-pick origin/other; true`,
  ],
  [
    'a detached head and several stashes',
    `git checkout -q HEAD~2; echo s1 >file1; git stash -q; echo s2 >file2; git add file2; echo u >un; git stash -q -u; echo again >file1`,
  ],
  [
    'a file that became a folder, and the reverse',
    `rm file1 && mkdir file1 && echo x >file1/x; git rm -q -r 'dir with space' && echo plain >'dir with space'`,
  ],
  [
    'a committed name with a line break, with permissions of its own',
    `name=$(printf 'two\\nlines') && echo x >"$name" && git add . && git commit -qm lines && chmod 600 "$name" file1`,
  ],
  [
    'a branch without commits, and no other branch',
    'git checkout -q --orphan fresh && git rm -rqf . && git branch -qD main && echo a >a && git add a',
  ],
  [
    'more settings than fit in the arguments of one script',
    `for n in $(seq 600); do printf '[branch "topic-%s"]\\n\\tdescription = %0150d\\n' $n $n; done >>.git/config`,
  ],
  [
    'further worktrees',
    `git worktree add -q ../repo-wt-side -b side; cd ../repo-wt-side; echo w >file1; echo w >new; git add new; rm file5`,
  ],
];

describe.each([
  ['a full clone', []],
  ['a partial clone', ['--filter=blob:none']],
])('%s', (_, options) => {
  it.each(states)('restores exactly: %s', async (__, script) => {
    rmSync(old.workDir, { recursive: true });
    old.clone(origin, ...options);
    old.sh(`(${script}) >/dev/null 2>&1`);
    const before = old.sh(everything);
    const branch = old.sh('git symbolic-ref -q --short HEAD || true').trim() || null;
    const upstream = old.sh(
      "git for-each-ref --format='%(upstream:short)' $(git symbolic-ref -q HEAD || echo none)",
    );

    const { manifest, status } = await hibernate(old);
    const tree = manifest.repositories?.[0]?.trees[0];
    expect([tree?.branch, tree?.upstream]).toEqual([branch, upstream.trim() || null]);
    rmSync(old.root, { recursive: true });
    const woken = new LocalWorkspace();
    woken.clone(origin, ...options);
    const missing = await restoreInto(woken, SnapshotManifest.parse(JSON.parse(JSON.stringify(manifest))));

    expect({ missing, status }).toEqual({ missing: [], status: 'available' });
    expect(woken.sh(everything)).toBe(before);
    expect(woken.sh('git fsck --connectivity-only 2>&1')).not.toMatch(/missing|broken|error/);
  });
});

/** Every file of the workspace but those of git folders, which the next line compares. */
const allFiles = `cd .. && find . -name .git -prune -o ! -type d -exec sha256sum {} + | sort -k2
  for at in $(find . -name .git -type d | sort); do (cd "$at/.." && echo "$at" && git status --porcelain=v2 -uall && git stash list && git log --oneline --all); done`;

it.each<readonly [string, string]>([
  [
    'a repository inside, with what it ignores left out',
    `git init -q vendor && cd vendor && echo one >one && echo 'ignored/' >.gitignore && git add . && git commit -qm one
     git gc -q; echo changed >one; echo new >'a [new] *file'; git checkout -qb side; echo stashed >>one; git stash -q
     git init -q deeper && echo deep >deeper/file`,
  ],
  [
    'a repository inside that has a submodule',
    `git clone -q ${'$PWD'} vendor && git clone -q vendor ../source && cd vendor &&
     git -c protocol.file.allow=always submodule add -q ../source sub && git commit -qm sub && echo x >sub/inside`,
  ],
  [
    'a submodule that only this workspace has, and one that another branch left behind',
    `git clone -q . ../source && source=$(cd ../source && pwd) && git -c protocol.file.allow=always submodule add -q "$source" sub && git commit -qm sub
     echo x >sub/file1 && git checkout -qb old && git -c protocol.file.allow=always submodule add -q "$source" left &&
     git commit -qm left && echo y >left/inside && git checkout -q main`,
  ],
  [
    'a submodule of a worktree',
    `git clone -q . ../source && source=$(cd ../source && pwd) && git worktree add -q ../repo-wt-side -b side && cd ../repo-wt-side &&
     git -c protocol.file.allow=always submodule add -q "$source" sub && git commit -qm sub && echo x >sub/inside`,
  ],
  [
    'a worktree inside the repository',
    'git worktree add -q .trees/side -b side && cd .trees/side && echo w >file1 && echo w >new && git init -q own && echo o >own/o',
  ],
  [
    'files and repositories beside the repository',
    `mkdir -p ../.private && echo upload >'../.private/a [file]' && ln -s gone ../link && chmod 600 ../.private/*
     git init -q '../other [x]' && cd '../other [x]' && echo o >o && git add o && git commit -qm o && echo more >>o`,
  ],
])('restores %s', async (_, script) => {
  old.sh(`(${script}) >/dev/null 2>&1`);
  old.sh(
    'for at in $(find .. -name vendor -type d); do mkdir -p "$at/ignored" && echo built >"$at/ignored/built"; done; mkdir ../node_modules && echo m >../node_modules/m',
  );
  const before = old.sh(allFiles);
  const { manifest, status } = await hibernate(old);
  rmSync(old.root, { recursive: true });
  const woken = new LocalWorkspace();
  woken.clone(origin);

  expect({ status, missing: await restoreInto(woken, manifest) }).toEqual({
    status: 'available',
    missing: [],
  });
  const left = before.split('\n').filter((line) => !/ \.\/(?:node_modules|.*\/ignored)\//.test(line));
  expect(woken.sh(allFiles).split('\n')).toEqual(left);
  expect(left.length).toBeGreaterThan(10);
});

it.each([
  ['of nothing that the remote has', 'git worktree add -q ../repo-wt-side -b side HEAD~2', 0],
  ['of a staged file', 'echo staged >file1 && git add file1', 1],
  // Commit, folder and file; the file of the index.
  [
    'of a local commit and a staged file',
    'echo a >a && git add a && git commit -qm a && echo b >b && git add b',
    4,
  ],
  // Seven files and two folders.
  ['of the index of a branch without commits', 'git checkout -q --orphan fresh', 9],
])('packs the objects %s', async (_, script, count) => {
  old.sh(`(${script}) >/dev/null 2>&1`);

  const { manifest } = await hibernate(old);

  const pack = manifest.sections.find(({ name }) => name === 'work/0/pack');
  const { offset = 0, sizeBytes = 0 } = pack ?? {};
  const content = zstdDecompressSync(store.object('wip').subarray(offset, offset + sizeBytes));
  expect(content.readUInt32BE(8)).toBe(count);
});

async function wake(script: string): Promise<LocalWorkspace> {
  old.sh(`(${script}) >/dev/null 2>&1; true`);
  const { manifest } = await hibernate(old);
  const woken = new LocalWorkspace();
  woken.clone(origin);
  expect(await restoreInto(woken, manifest)).toEqual([]);
  return woken;
}

/** All that the stored object holds, as it was before it was packed. */
function contentOf({ sections }: SnapshotManifest): string {
  const stored = sections.filter(({ sizeBytes }) => sizeBytes > 0);
  const parts = stored.map(({ artifact, offset, sizeBytes }) =>
    zstdDecompressSync(store.object(artifact).subarray(offset, offset + sizeBytes)),
  );
  return Buffer.concat(parts).toString('latin1');
}

it('more worktrees than a person has are captured, in a manifest that the control plane accepts', async () => {
  old.sh('for n in $(seq 20); do git worktree add -q .trees/$n -b inner-$n && echo $n >.trees/$n/own; done');
  const { manifest } = await hibernate(old);
  const woken = new LocalWorkspace();
  woken.clone(origin);

  expect(SnapshotManifest.safeParse(manifest).error).toBeUndefined();
  expect(await restoreInto(woken, manifest)).toEqual([]);
  expect(woken.sh('cat .trees/*/own | sort -n | tail -1; git worktree list | wc -l')).toBe('20\n21\n');
});

describe('an interrupted operation continues after a restore', () => {
  it('finishes a merge', async () => {
    const woken = await wake('echo mine >file1 && git commit -qam mine; git merge origin/other');
    expect(woken.sh('git status --porcelain')).toMatch(/^(?:AA|UU) file1/m);

    woken.sh('echo both >file1 && git add file1 && git commit -q --no-edit');

    expect(woken.sh('git log -1 --format=%P').trim().split(' ')).toHaveLength(2);
  });

  it('finishes a rebase', async () => {
    const woken = await wake(
      'git checkout -qb mine && echo mine >file1 && git commit -qam one && echo two >file2 && git commit -qam two; git rebase origin/other',
    );
    expect(woken.sh('git status')).toMatch(/rebase in progress/);

    woken.sh('echo both >file1 && git add file1 && GIT_EDITOR=true git rebase --continue');

    expect(woken.sh('git log --format=%s -3').trim().split('\n')).toEqual(['two', 'one', 'theirs']);
  });

  it('restores all stashes', async () => {
    const woken = await wake('echo s1 >file1; git stash -q; echo s2 >file2; git stash -q');

    woken.sh('git stash pop -q && git stash pop -q');

    expect(woken.sh('cat file1 file2')).toBe('s1\ns2\n');
  });

  it('restores submodules with their local work', async () => {
    const inner = `${origin}-inner`;
    old.sh(
      `git clone -q --bare . ${inner} && git submodule --quiet add file://${inner} lib/inner && git commit -qm sub && git push -q origin main`,
    );
    const woken = await wake(
      'cd lib/inner && echo deep >file1 && git checkout -qb inside && git commit -qam inside && echo more >new',
    );

    expect(
      woken.sh('cd lib/inner && git log -1 --format=%s && git branch --show-current && cat new file1'),
    ).toBe('inside\ninside\nmore\ndeep\n');
    expect(woken.sh('git status --porcelain')).toBe(' M lib/inner\n');
  });

  it('restores a repository without commits', async () => {
    rmSync(old.workDir, { recursive: true });
    mkdirSync(old.workDir);
    old.sh('git init -q -b trunk && echo a >a && git add a && echo b >b');
    const { manifest } = await hibernate(old);
    const woken = new LocalWorkspace();
    mkdirSync(woken.workDir);
    woken.sh('git init -q -b main');

    expect(await restoreInto(woken, manifest)).toEqual([]);

    expect(woken.sh('git status --porcelain --branch')).toBe('## No commits yet on trunk\nA  a\n?? b\n');
  });

  it('restores when the remote has moved on', async () => {
    old.sh('echo mine >mine && git add mine && git commit -qm mine && echo x >x');
    const { manifest } = await hibernate(old);
    const other = new LocalWorkspace();
    other.clone(origin);
    other.sh(
      'git rm -q file5 && git commit -qm elsewhere && git push -q origin main && git push -q origin :other',
    );
    const woken = new LocalWorkspace();
    woken.clone(origin);

    expect(await restoreInto(woken, manifest)).toEqual([]);

    expect(woken.sh('git log -1 --format=%s; ls')).toMatch(/^mine\n(?:.*\n)*file5\nmine\nx\n$/);
  });

  it('reports commits that the remote has lost, and restores the rest', async () => {
    old.sh('mkdir -p "$HOME/.claude" && echo remembered >"$HOME/.claude/history"');
    const { manifest } = await hibernate(old);
    rmSync(origin, { recursive: true });
    old.sh(
      `rm -rf .git && git init -q -b main && git add -f file1 && git commit -qm again && git clone -q --bare . ${origin}`,
    );
    const woken = new LocalWorkspace();
    woken.clone(origin);

    const missing = await restoreInto(woken, manifest);

    expect(missing).toMatchObject([{ part: 'work', path: '.', reason: expect.stringContaining('missing') }]);
    expect(readFileSync(join(woken.home, '.claude/history'), 'utf8')).toBe('remembered\n');
  });
});

describe('the home of the agent', () => {
  it('is restored with its permissions, without caches and credentials', async () => {
    old.sh(`cd "$HOME" && mkdir -p .claude/projects .ssh .cache .codex .npm app/node_modules && echo talk >.claude/projects/talk.jsonl
      chmod 600 .claude/projects/talk.jsonl && ln -s projects .claude/link && echo '{"theme":"dark"}' >.claude.json
      for file in .claude/.credentials.json .codex/auth.json .ssh/id_ed25519 .git-credentials .netrc .cache/x .npm/y app/node_modules/z; do echo TOP-SECRET >$file; done`);

    const { manifest } = await hibernate(old);
    const woken = new LocalWorkspace();
    woken.clone(origin);
    expect(await restoreInto(woken, manifest)).toEqual([]);

    expect(contentOf(manifest)).not.toContain('TOP-SECRET');
    expect(readdirSync(woken.home).sort()).toEqual(['.claude', '.claude.json']);
    expect(statSync(join(woken.home, '.claude/projects/talk.jsonl')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(woken.home, '.claude/link/talk.jsonl'), 'utf8')).toBe('talk\n');
  });

  it('contains no token of the git settings', async () => {
    old.sh(
      `git config remote.origin.url https://x:TOP-SECRET@example.com/a && git config http.extraheader 'Authorization: TOP-SECRET' && git config branch.main.description kept`,
    );

    const { manifest } = await hibernate(old);

    expect(contentOf(manifest)).not.toContain('TOP-SECRET');
    expect(contentOf(manifest)).toContain('kept');
  });
});

describe('limits', () => {
  it('lists each entry that is too large, and truncates none', async () => {
    old.sh(
      'mkdir -p "$HOME/.claude" && head -c 3000 /dev/zero >"$HOME/.claude/large" && echo small >"$HOME/.claude/small" && head -c 5000 /dev/zero >big && echo w >little',
    );

    const { manifest, status } = await hibernate(old, { entryBytes: 2_000 });
    const woken = new LocalWorkspace();
    woken.clone(origin);
    const missing = await restoreInto(woken, manifest);

    expect({ status, degradation: manifest.degradation, count: manifest.skippedCount }).toEqual({
      status: 'degraded',
      degradation: 'entries-skipped',
      count: 2,
    });
    expect(manifest.skipped).toEqual([
      { path: 'big', reason: 'entry_too_large', sizeBytes: 5_000 },
      { path: '~/.claude/large', reason: 'entry_too_large', sizeBytes: 3_000 },
    ]);
    expect(missing).toEqual([]);
    expect(existsSync(join(woken.workDir, 'big'))).toBe(false);
    expect(woken.sh('cat little "$HOME/.claude/small"')).toBe('w\nsmall\n');
  });

  it('prefers work, then the state of agents, when not everything fits', async () => {
    old.sh(
      'head -c 900 /dev/zero >work && mkdir -p "$HOME/.claude" "$HOME/a" && head -c 900 /dev/zero >"$HOME/a/other" && head -c 900 /dev/zero >"$HOME/.claude/state"',
    );

    const { manifest } = await hibernate(old, { totalBytes: 2_000 });

    expect(manifest.skipped).toEqual([{ path: '~/a/other', reason: 'total_too_large', sizeBytes: 900 }]);
  });

  it('lists entries that cannot be packed', async () => {
    old.sh(`mkfifo "$HOME/pipe" && printf x >"$HOME/two
lines" && git clone -q --shared . borrowing && echo n >borrowing/n`);

    const { manifest } = await hibernate(old);

    const skipped = manifest.skipped.map(({ path, reason }) => [path, reason]);
    expect(skipped.sort()).toEqual([
      ['borrowing/', 'nested_repository'],
      ['~/pipe', 'unsupported_type'],
      ['~/two\nlines', 'unsupported_name'],
    ]);
  });
});

describe('a damaged store', () => {
  it.each(['refuses', 'cuts'] as const)('is detected when it %s', async (fault) => {
    store.objects.clear();
    store.fault = fault;

    const error = await hibernate(old).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'TransferError' });
    expect(String(error)).not.toContain('secret-of-the-url');
    expect(readdirSync(join(old.folder, 'state'))).toEqual([]);
  });

  it('is detected when it returns another object', async () => {
    const { manifest } = await hibernate(old);
    const object = store.object('wip');
    object[object.length >> 1] = (object[object.length >> 1] ?? 0) ^ 1;
    const woken = new LocalWorkspace();
    woken.clone(origin);
    const before = woken.sh(everything);

    const { missing, unread } = await restoreFrom(store, woken, manifest);

    expect(unread).toEqual(['wip']);
    expect(missing).toMatchObject([{ part: 'work', reason: expect.stringContaining('hash mismatch') }]);

    expect(woken.sh(everything)).toBe(before);
  });

  it('gets the length of each object', async () => {
    await hibernate(old);

    const [headers] = store.headers.values();
    expect(headers).toMatchObject({ 'content-length': expect.any(String) });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });
});

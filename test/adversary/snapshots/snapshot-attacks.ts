import { randomBytes } from 'node:crypto';
import type { SnapshotManifest, SnapshotTree } from '../../../protocol/snapshots.js';
import { isLongRun } from '../run-length.js';
import { type Crafted, type Entry, endlessTar, type Sections, sparseTar, tarOf } from './crafted-snapshot.js';
import type { RestoreTarget } from './restore-targets.js';

const mebibyte = 2 ** 20;

/** The author of a snapshot may know this of its target. */
interface Target {
  readonly outside: string;
  /** Commits of the repository, newest first. */
  readonly commits: readonly string[];
  readonly sh: RestoreTarget['sh'];
}

export interface SnapshotAttack {
  readonly name: string;
  readonly crafted: (target: Target) => Promise<Crafted>;
  /** Limits of the plan. */
  readonly limits?: { readonly totalBudgetBytes: number; readonly maxEntries: number };
  /** Why a part is missing. Without one, everything is restored in the tree. */
  readonly reason?: RegExp;
  /** Paths in the home or the root that exist afterwards. */
  readonly restored?: readonly string[];
}

const small = { totalBudgetBytes: mebibyte, maxEntries: 10 };
/** With the room that small limits leave for headers. */
const bomb = Buffer.alloc(128 * mebibyte);

type Entries = readonly Entry[];

/** Parts that are a tar. One script unpacks the git folder, and another one the others. */
const places = {
  'home/home': 'home',
  'work/0/meta': 'git folder',
  ...(isLongRun && { 'work/0/tree/0/files': 'checkout', 'work/loose': 'folder of the workspace' }),
} as const;
const everywhere = (
  name: string,
  entries: (target: Target) => Entries,
  more: Pick<SnapshotAttack, 'reason'> = {},
): SnapshotAttack[] =>
  Object.entries(places).map(([section, place]) => ({
    name: `${name}, in the ${place}`,
    crafted: async (target) => ({ sections: { [section]: await tarOf(...entries(target)) } }),
    ...more,
  }));

const lists =
  (sections: (target: Target) => Readonly<Record<string, string>>): SnapshotAttack['crafted'] =>
  async (target) => ({
    sections: Object.fromEntries(
      Object.entries(sections(target)).map(([name, text]) => [name, Buffer.from(text)]),
    ),
  });
const withTree =
  (tree: Partial<SnapshotTree>): SnapshotAttack['crafted'] =>
  async () => ({
    change: (manifest) => ({
      ...manifest,
      repositories: (manifest.repositories ?? []).map(({ path, trees: [main] }) => ({
        path,
        trees: main ? [main, { ...main, worktree: 'side', ...tree }] : [],
      })),
    }),
  });
const withHome = async (text: string): Promise<Sections> => ({
  'home/home': await tarOf({ name: './new', text }),
});

const linkRefused = /Not a directory|No such file|Cannot open|Cannot hard link/;
const device = { name: './device', mode: 0o666, devmajor: 1, devminor: 3 };

const entryAttacks: readonly SnapshotAttack[] = [
  ...everywhere('takes an absolute name for one in the tree', ({ outside }) => [
    { name: `${outside}/canary`, text: 'changed' },
    { name: `${outside}/new`, text: 'new' },
  ]),
  ...everywhere(
    'unpacks no name with two dots',
    () => [
      { name: '../outside/canary', text: 'changed' },
      { name: './a/../../../outside/canary', text: 'changed' },
      { name: '../../../outside/new', text: 'new' },
      { name: './a\n/../../../outside/new', text: 'new' },
    ],
    { reason: /Member name contains '\.\.'/ },
  ),
  ...everywhere(
    'writes no file beneath a link out of the tree',
    ({ outside }) => [
      { name: './link', type: 'symlink', linkname: outside },
      { name: './link/canary', text: 'changed' },
      { name: './link/new', text: 'new' },
    ],
    { reason: linkRefused },
  ),
  ...everywhere(
    'writes no file beneath a relative link out of the tree',
    () => [
      { name: './up', type: 'symlink', linkname: '../../outside' },
      { name: './up/new', text: 'new' },
      { name: './near', type: 'symlink', linkname: '../outside' },
      { name: './near/new', text: 'new' },
    ],
    { reason: linkRefused },
  ),
  ...everywhere('replaces a link, and does not follow it', ({ outside }) => [
    { name: './link', type: 'symlink', linkname: `${outside}/canary` },
    { name: './link', text: 'changed' },
  ]),
  ...everywhere(
    'makes no hard link to a file outside',
    ({ outside }) => [
      { name: './hard', type: 'link', linkname: `${outside}/canary` },
      { name: './near', type: 'link', linkname: '../outside/canary' },
    ],
    { reason: linkRefused },
  ),
  ...everywhere(
    'makes no device',
    () => [
      { ...device, type: 'character-device' },
      { ...device, name: './disk', type: 'block-device', devmajor: 8 },
    ],
    { reason: /Cannot mknod/ },
  ),
  ...everywhere('gives no program the rights of another user', () => [
    { name: './setuid', mode: 0o6755, uid: 65_534, text: '#!/bin/sh\nid\n' },
    { name: './shared', type: 'directory', mode: 0o7777, uid: 65_534 },
  ]),
  ...everywhere('takes a line break for a part of a name', ({ outside }) => [
    { name: `./a\n${outside}/canary`, text: 'changed' },
    { name: `${outside}/canary\n`, text: 'changed' },
  ]),
  {
    name: 'gives a file of a terabyte no content',
    crafted: async () => ({ sections: { 'home/home': sparseTar('sparse', 2 ** 40) } }),
    restored: ['sparse'],
  },
];

const sizeAttacks: readonly SnapshotAttack[] = [
  {
    name: 'ends with entries without an end',
    crafted: async () => ({ sections: { 'home/home': await endlessTar(256 * 1_024) } }),
    limits: small,
    reason: /Section home\/home of the snapshot exceeded the limit of \d+ bytes/,
  },
  {
    name: 'ends with a file that a few bytes unpack to',
    crafted: async () => ({
      sections: { 'work/0/tree/0/files': await tarOf({ name: './zeros', text: bomb }) },
    }),
    limits: small,
    reason: /Section work\/0\/tree\/0\/files of the snapshot exceeded the limit of \d+ bytes/,
  },
  ...['refs', 'remotes', 'settings', 'tree/0/gone', 'tree/0/modes'].map((list) => ({
    name: `holds no list in memory that a few bytes unpack to: ${list}`,
    crafted: async () => ({ sections: { [`work/0/${list}`]: bomb } }),
    reason: /exceeded the limit of 67108864 bytes/,
  })),
  {
    name: 'holds no settings of harnesses in memory that a few bytes unpack to',
    crafted: async () => ({ sections: { 'home/home/settings': bomb } }),
    reason: /exceeded the limit of 67108864 bytes/,
  },
  {
    name: 'downloads no object above the limit of a snapshot',
    crafted: async () => ({ sections: { 'home/home': randomBytes(2 * mebibyte) } }),
    limits: small,
    reason: /The object of the snapshot exceeded the limit of 1048576 bytes/,
  },
];

const listAttacks: readonly SnapshotAttack[] = [
  ...['../../outside/canary', './a/../../../outside/canary', '/outside/canary'].map((path) => ({
    name: `deletes no file outside: ${path}`,
    crafted: lists(({ outside }) => ({
      'work/0/tree/0/gone': `${path.replace(/^\/outside/, outside)}\0`,
    })),
    reason: /leads out of the workspace/,
  })),
  {
    name: 'takes a line break in the list of deleted files for a part of a name',
    crafted: lists(() => ({ 'work/0/tree/0/gone': './a\n../../outside/canary\0' })),
    reason: /leads out of the workspace/,
  },
  {
    name: 'changes no permissions outside',
    crafted: lists(() => ({ 'work/0/tree/0/modes': '8fff ../../outside/canary/\n' })),
    reason: /leads out of the workspace/,
  },
  {
    name: 'restores no repository outside',
    crafted: async () => ({
      change: (manifest) => ({
        ...manifest,
        repositories: (manifest.repositories ?? []).map((one) => ({
          ...one,
          path: '../../outside/origin.git',
        })),
      }),
    }),
    reason: /leads out of the workspace/,
  },
  ...[{ path: '../outside/new' }, { path: 'side', worktree: '../../../../outside' }].map((tree) => ({
    name: `makes no worktree outside: ${tree.path}`,
    crafted: withTree(tree),
    reason: /leads out of the workspace/,
  })),
  ...(['symlink', 'fifo'] as const).map((type) => ({
    name: `writes no settings through a file of the home: ${type}`,
    crafted: async ({ outside }: Target) => {
      const settings = JSON.stringify([{ path: '.claude.json', mode: '600', text: '{}' }]);
      const inTheWay = { name: './.claude.json.svc-new', type, linkname: `${outside}/canary` };
      return {
        sections: { 'home/home': await tarOf(inTheWay), 'home/home/settings': Buffer.from(settings) },
      };
    },
    restored: ['.claude.json'],
  })),
  {
    name: 'writes settings of harnesses only',
    crafted: lists(() => ({
      'home/home/settings': JSON.stringify(
        ['../outside/canary', '.bashrc', '.claude/../../outside/new'].map((path) => ({
          ...{ path, mode: '666', text: 'changed' },
        })),
      ),
    })),
  },
];

const gitAttacks: readonly SnapshotAttack[] = [
  {
    name: 'runs no program that a commit of the remote names',
    crafted: lists(({ outside }) => ({ 'work/0/remotes': `--upload-pack=touch ${outside}/ran;false\n` })),
    reason: /names a commit that is none/,
  },
  {
    name: 'runs no program that a setting names',
    crafted: async (target) => {
      const { sections } = await lists(({ outside }) => ({
        'work/0/settings': ['filter.evil.smudge', 'core.fsmonitor', 'core.sshCommand']
          .map((key) => `${key}\ntouch ${outside}/ran\0`)
          .join(''),
      }))(target);
      // The checkout goes to another commit.
      return { ...(sections && { sections }), change: atCommit(target.commits[1] ?? '') };
    },
  },
  {
    name: 'runs no program that the files of the git folder name',
    crafted: async (target) => ({ sections: { 'work/0/meta': await hostileGitFolder(target) } }),
  },
  {
    name: 'takes no pack that is none',
    crafted: lists(() => ({ 'work/0/pack': 'PACK and more of it, which is no object' })),
    reason: /exited with/,
  },
];

const atCommit = (head: string) => (manifest: SnapshotManifest) => ({
  ...manifest,
  repositories: (manifest.repositories ?? []).map(({ path, trees }) => ({
    path,
    trees: trees.map((tree) => ({ ...tree, head })),
  })),
});

/** Settings, hooks, and an index with a file that is staged. */
function hostileGitFolder({ outside, sh, commits }: Target): Promise<Buffer> {
  const index =
    sh(`rm -rf ${outside}/clone && git clone -q ${outside}/origin.git ${outside}/clone && cd ${outside}/clone &&
    git update-index --add --cacheinfo "100644,$(git rev-parse ${commits[0]}:file),staged" && base64 <.git/index
    rm -rf ${outside}/clone`);
  const program = `touch ${outside}/ran; cat`;
  const config = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${program}"\n\thooksPath = .git/hooks\n[filter "evil"]\n\tsmudge = "${program}"\n`;
  const hook = { mode: 0o755, text: `#!/bin/sh\n${program}\n` };
  return tarOf(
    { name: './config', text: config },
    { name: './info/attributes', text: '* filter=evil\n' },
    { name: './hooks/post-checkout', ...hook },
    { name: './hooks/post-index-change', ...hook },
    { name: './index', text: Buffer.from(index, 'base64') },
  );
}

const lies: readonly (readonly [string, Crafted['change'], RegExp])[] = [
  ['the hash of an object', changeObject({ sha256: '0'.repeat(64) }), /hash mismatch/],
  ['a length that is too small', changeObject({ sizeBytes: 3 }), /holds more than the snapshot has/],
  ['the hash of a section', changeSection({ sha256: '0'.repeat(64) }), /is damaged \(hash mismatch\)/],
  ['the place of a section', changeSection({ offset: 2 ** 50 }), /is damaged \(hash mismatch\)/],
  ['the length of a section', changeSection({ sizeBytes: 5 }), /is damaged \(hash mismatch\)/],
  ['the object of a section', changeSection({ artifact: 'wip' }), /is damaged \(hash mismatch\)/],
];

function changeObject(change: object): NonNullable<Crafted['change']> {
  return (manifest) => {
    const { home, wip } = manifest.artifacts;
    return { ...manifest, artifacts: { home: home && { ...home, ...change }, wip } };
  };
}

function changeSection(change: object): NonNullable<Crafted['change']> {
  return (manifest) => ({
    ...manifest,
    sections: manifest.sections.map((one) => (one.name === 'home/home' ? { ...one, ...change } : one)),
  });
}

const manifestAttacks: readonly SnapshotAttack[] = [
  ...lies.map(([what, change, reason]) => ({
    name: `restores nothing of a part for which the manifest lies: ${what}`,
    crafted: async () => ({ sections: await withHome('new'), ...(change && { change }) }),
    reason,
  })),
  {
    name: 'restores no object of another workspace',
    crafted: async () => ({ sections: await withHome('own'), objects: { home: await tarOf() } }),
    reason: /hash mismatch|holds more than the snapshot has/,
  },
];

/** Those that the programs of the workspace refuse. The agent itself refuses the others. */
export const attacksOnPrograms: readonly SnapshotAttack[] = [...entryAttacks, ...gitAttacks];

/** Add one for each new attack that becomes known. */
export const snapshotAttacks: readonly SnapshotAttack[] = [
  ...attacksOnPrograms,
  ...sizeAttacks,
  ...listAttacks,
  ...manifestAttacks,
];

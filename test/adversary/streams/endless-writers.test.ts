import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasDocker } from '../../integration/agent/docker-engine.js';
import { FolderWatch } from './hostile-container.js';
import { HostileWorkspace } from './hostile-workspace.js';

const mebibyte = 2 ** 20;
/** Most that one stream may add to the memory of the agent, with the garbage of its buffers. */
const memoryBytes = 128 * mebibyte;
/** The agent's own databases may grow during the test. */
const diskBytes = 8 * mebibyte;
const archiveBytes = 64 * mebibyte;

const zeros = 'exec cat /dev/zero';
const noise = 'exec cat /dev/urandom';
/** A line for ever, with NUL in the place of its end. */
const records = (text: string) => `exec sh -c 'yes "${text}" | tr "\\n" "\\0"'`;
const longNames = `exec sh -c 'yes "./$(head -c 60000 /dev/zero | tr "\\0" n)" | tr "\\n" "\\0"'`;
const branches = 'exec seq -f "  refs/heads/%.0f" 99999999';
const worktrees = `exec yes "$(printf 'worktree /w\\nHEAD 1\\n\\n.')"`;
const thousands = 'yes "worktree /workspaces/full\n" | head -n 9999';
const form =
  '--B\r\ncontent-disposition: form-data; name="destination"\r\n\r\nin\r\n' +
  '--B\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\ntext\r\n--B--\r\n';

interface Stream {
  readonly stream: string;
  /** Program, what it prints, and for which arguments. */
  readonly writer: readonly [program: string, prints: string, when?: string];
  readonly route: string;
  readonly form?: string;
  readonly answer: object;
}

const tooLarge = { status: 413, error: 'payload_too_large' };
const cutOff = { status: 200, isWhole: true, truncated: true };
/** The headers were sent before the writer passed its limit. */
const broken = { status: 200, isWhole: false };

const raw = 'files/raw?path=link';
const streams: readonly Stream[] = [
  { stream: 'list: bytes', writer: ['find', zeros], route: 'files/list', answer: cutOff },
  {
    stream: 'list: entries',
    writer: ['find', 'exec yes "81a4 1 1 ./a"'],
    route: 'files/list',
    answer: cutOff,
  },
  {
    stream: 'search: one name',
    writer: ['find', 'exec yes n'],
    route: 'files/find?query=n',
    answer: tooLarge,
  },
  {
    stream: 'search: other names',
    writer: ['find', records('./n')],
    route: 'files/find?query=x',
    answer: tooLarge,
  },
  { stream: 'search: long names', writer: ['find', longNames], route: 'files/find?query=n', answer: cutOff },
  { stream: 'facts of a file', writer: ['stat', zeros, '*-L*'], route: raw, answer: { status: 400 } },
  { stream: 'facts of a file: never', writer: ['stat', zeros], route: raw, answer: { status: 504 } },
  { stream: 'raw file: longer', writer: ['head', zeros], route: raw, answer: tooLarge },
  { stream: 'raw file: errors', writer: ['head', `${zeros} >&2`], route: raw, answer: tooLarge },
  { stream: 'large raw file', writer: ['head', zeros], route: 'files/raw?path=large', answer: broken },
  { stream: 'download', writer: ['head', noise], route: 'files/download?path=large', answer: broken },
  { stream: 'folder', writer: ['tar', noise], route: 'files/download?path=.', answer: broken },
  {
    stream: 'folder: errors',
    writer: ['tar', `${zeros} >&2`],
    route: 'files/download?path=.',
    answer: tooLarge,
  },
  { stream: 'upload', writer: ['mkdir', zeros], route: 'files/upload', form, answer: tooLarge },
  { stream: 'upload: rename', writer: ['mv', zeros], route: 'files/upload', form, answer: tooLarge },
  { stream: 'status: bytes', writer: ['git', zeros, '*status*'], route: 'git/status', answer: cutOff },
  {
    stream: 'status: files',
    writer: ['git', records('?? a'), '*status*'],
    route: 'git/status',
    answer: cutOff,
  },
  { stream: 'diff', writer: ['git', noise, '*diff*'], route: 'git/diff', answer: cutOff },
  { stream: 'diff: errors', writer: ['git', `${zeros} >&2`, '*diff*'], route: 'git/diff', answer: tooLarge },
  {
    stream: 'git file',
    writer: ['git', noise, '*blob*'],
    route: 'git/file?path=committed',
    answer: tooLarge,
  },
  { stream: 'branches: bytes', writer: ['git', zeros, '*for-each*'], route: 'git/branches', answer: cutOff },
  {
    stream: 'branches: names',
    writer: ['git', branches, '*for-each*'],
    route: 'git/branches',
    answer: cutOff,
  },
  { stream: 'worktrees', writer: ['git', zeros, '*worktree*'], route: 'worktrees', answer: tooLarge },
  {
    stream: 'worktrees: 5,000',
    writer: ['git', thousands, '*worktree*'],
    route: 'worktrees',
    answer: cutOff,
  },
  {
    stream: 'worktrees: many',
    writer: ['git', worktrees, '*worktree*'],
    route: 'worktrees',
    answer: tooLarge,
  },
];

const refused = (status: number) => ({ status, isWhole: true });

const commit = 'git -c user.name=a -c user.email=a@a.example commit -qm';
const makeFiles = [
  'truncate -s 1T sparse && ln -s /dev/zero zeros && mkfifo pipe',
  'mkdir many && (cd many && seq 200000 | xargs touch)',
  `yes x | head -c 32M >huge && git add huge && ${commit} huge && sed -i s/x/y/ huge`,
].join(' && ');

/** Files that have no end, or more than an answer takes. */
const files: readonly (readonly [file: string, route: string, answer: object])[] = [
  ['a file of 1 TB without content', 'files/raw?path=sparse', tooLarge],
  ['the same as a download', 'files/download?path=sparse', tooLarge],
  ['the same in a diff', 'git/diff?path=sparse', refused(504)],
  ['a link to a device', 'files/raw?path=zeros', refused(403)],
  ['a pipe without a writer', 'files/download?path=pipe', refused(400)],
  ['a folder of 200,000 files', 'files/list?path=many', cutOff],
  ['the same in a search', 'files/find?query=9', cutOff],
  ['the same in a status', 'git/status', cutOff],
  ['a large file of a commit', 'git/file?path=huge', tooLarge],
  ['a large change', 'git/diff?path=huge', cutOff],
];

describe.skipIf(!hasDocker())('an endless writer in a workspace', () => {
  let hostile: HostileWorkspace;

  beforeAll(async () => {
    hostile = await HostileWorkspace.start({
      FILE_ARCHIVE_MAX_SIZE: String(archiveBytes),
      GIT_EXEC_TIMEOUT: '30s',
    });
    hostile.sh(
      'echo text >file && ln -s file link && head -c 4194305 /dev/zero >big && ln -s big large' +
        ` && echo text >committed && git add committed && ${commit} a`,
    );
  });
  afterEach(() => hostile.restore());
  afterAll(() => hostile[Symbol.asyncDispose]());

  it.each(streams)('ends with the budget of its stream: $stream', async ({ writer, route, form, answer }) => {
    hostile.replace(...writer);
    using watch = new FolderWatch(hostile.started.agent.folder);
    watch.look();
    const before = watch.largestBytes;

    const { result, grownBytes } = await hostile.growthOf(() => hostile.get(route, form));

    expect(result).toMatchObject(answer);
    expect(result.bytes).toBeLessThanOrEqual(archiveBytes + mebibyte);
    expect(grownBytes).toBeLessThan(memoryBytes);
    await hostile.untilQuiet();
    expect(watch.largestBytes - before).toBeLessThan(diskBytes);
  });

  describe('and files without an end', () => {
    beforeAll(() => {
      hostile.sh(makeFiles);
    });

    it.each(files)('get a bounded answer: %s', async (_, route, answer) => {
      const { result, grownBytes } = await hostile.growthOf(() => hostile.get(route));

      expect(result).toMatchObject(answer);
      expect(grownBytes).toBeLessThan(memoryBytes);
      await hostile.untilQuiet();
    });
  });
});

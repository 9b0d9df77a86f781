import {
  maxSnapshotRepositories,
  maxSnapshotTrees,
  type SnapshotRepository,
} from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import { outputSlackBytes } from '../files/workspace-commands.js';
import { offlineGit } from '../git/hardened-git.js';
import type { ArchiveWriter } from './archive.js';
import { captureTree } from './capture-tree.js';
import { captureLooseFiles } from './loose-files.js';
import { addSections, type Section } from './section-writer.js';
import type { SnapshotBudget } from './snapshot-budget.js';
import { isKeptSetting } from './snapshot-rules.js';
import type { ListedRepository, WorkListing } from './work-listing.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** Files of the git folder except objects, settings and remote refs. */
const metaScript = offlineGit(`
cd "$(git rev-parse --git-common-dir)" || exit 1
find . \\( -path ./objects -o -path ./modules -o -path ./logs/refs/remotes -o -path ./refs -o -path ./lfs \\) -prune \\
  -o -type f \\( -path './*_HEAD' -o -path './MERGE_*' -o -path ./HEAD -o -path ./index -o -path './sharedindex.*' \\
  -o -path ./AUTO_MERGE -o -path ./SQUASH_MSG -o -path './BISECT_*' -o -path './rebase-merge/*' -o -path './rebase-apply/*' \\
  -o -path './sequencer/*' -o -path './rr-cache/*' -o -path './logs/*' -o -path './info/*' -o -path './hooks/*' \\
  -o -path './worktrees/*' \\) ! -name '*.lock' ! -name '*.sample' ! -path ./FETCH_HEAD -print | tar -cf - -T -`);

/**
 * Objects that local refs, logs, the index or an unfinished operation name. Git excludes the
 * commits of remotes, but not their files from those of the index. So the script also excludes the
 * trees of the commits on which the checkouts are based.
 */
const packScript = offlineGit(`
bases() {
  heads=$(
    for head in HEAD $(cd "$common" && for own in worktrees/*/HEAD; do [ -f "$own" ] && printf '%s\\n' "$own"; done); do
      git rev-parse --verify --quiet "$head^{commit}"
    done | sort -u
  )
  [ -n "$heads" ] || return 0
  git rev-list --boundary $heads --not --remotes | sed -n 's/^-//p' | head -n 100
  for head in $heads; do
    [ -n "$(git rev-list -n 1 "$head" --not --remotes)" ] || printf '%s\\n' "$head"
  done
}
common=$(git rev-parse --git-common-dir)
partial=
[ -z "$(git config --get-regexp '^remote\\..*\\.promisor$')" ] || partial=--exclude-promisor-objects
{
  git for-each-ref --format='%(objectname)'
  cat "$common"/HEAD "$common"/*_HEAD "$common"/AUTO_MERGE "$common"/rebase-*/orig-head "$common"/rebase-*/onto \\
    "$common"/rebase-*/stopped-sha "$common"/rebase-*/autostash "$common"/sequencer/head "$common"/worktrees/*/*HEAD \\
    2>/dev/null | grep -Eo '^[0-9a-f]{40}' | git cat-file --batch-check='%(objectname)' | grep -Ev ' missing$'
  echo --not
  git for-each-ref --format='%(objectname)' refs/remotes
  # A partial clone excludes all that its remote has.
  [ -n "$partial" ] || bases | sed 's/$/^{tree}/'
} | exec git pack-objects -q --revs --reflog --indexed-objects $partial --stdout`);

/** Captures commits, index, unfinished operations and files of each repository, and loose files. */
export async function captureRepositories(
  shell: WorkspaceShell,
  archive: ArchiveWriter,
  { listing, budget }: { readonly listing: WorkListing; readonly budget: SnapshotBudget },
): Promise<SnapshotRepository[]> {
  requireFew(listing);
  const captured = listing.repositories.map((repository, index) =>
    captureRepository(shell, { repository, budget, name: `work/${index}` }),
  );
  await addSections(
    archive,
    captured.flatMap(({ sections }) => sections),
  );
  await addSections(archive, captureLooseFiles(shell, { files: await listing.loose, budget }));
  return captured.map(({ path, trees }) => ({ path, trees }));
}

/** @throws AgentError */
export function requireFew({ repositories }: Pick<WorkListing, 'repositories'>): void {
  const counts = [
    ['repositories', repositories.length, maxSnapshotRepositories],
    ['worktrees', Math.max(...repositories.map(({ checkouts }) => checkouts.length)), maxSnapshotTrees],
  ] as const;
  for (const [what, count, most] of counts)
    if (count > most)
      throw new AgentError(
        'snapshot_failed',
        `It has ${count} ${what}, and a snapshot holds at most ${most}`,
      );
}

interface RepositoryCapture {
  readonly repository: ListedRepository;
  readonly budget: SnapshotBudget;
  /** Begin of the names of its sections. */
  readonly name: string;
}

interface CapturedRepository extends SnapshotRepository {
  readonly sections: readonly Section[];
}

function captureRepository(
  shell: WorkspaceShell,
  { repository, budget, name }: RepositoryCapture,
): CapturedRepository {
  const { path, folder, checkouts } = repository;
  const captured = checkouts.map(({ worktree, ...checkout }, index) => {
    const section = `${name}/tree/${index}`;
    const { tree, sections } = captureTree(shell, { ...checkout, section, budget });
    return { tree: { ...tree, worktree }, sections };
  });
  const sections = [
    ...captured.flatMap((one) => one.sections),
    ...Object.entries({ meta: metaScript, pack: packScript }).map(([section, text]) => ({
      name: `${name}/${section}`,
      content: () =>
        shell.stream({ text, workDir: folder, limitBytes: budget.totalBytes + outputSlackBytes }),
    })),
    ...namesSections(checkouts, name),
  ];
  return { path, trees: captured.map(({ tree }) => tree), sections };
}

/** Refs, commits of the remote, and settings, as the repository's own checkout lists them. */
function namesSections(checkouts: ListedRepository['checkouts'], name: string): Section[] {
  const own = checkouts.find(({ worktree }) => worktree === null);
  if (!own) throw new Error(`${name} has no checkout in the workspace`);
  const { refs, settings } = own.listing;
  const ofRemotes = refs.filter((ref) => remoteRef.test(ref));
  const kept = settings.filter((setting) => isKeptSetting(setting.split('\n', 1)[0] ?? ''));
  return [
    { name: `${name}/refs`, content: lines(refs.filter((ref) => !remoteRef.test(ref))) },
    { name: `${name}/remotes`, content: lines(ofRemotes.map((ref) => ref.split(' ', 1)[0] ?? '')) },
    { name: `${name}/settings`, content: Buffer.from(kept.map((setting) => `${setting}\0`).join('')) },
  ];
}

const remoteRef = /^\S+ refs\/remotes\//;
const lines = (texts: readonly string[]): Buffer =>
  Buffer.from(texts.map((text) => `${text}\n`).join(''), 'latin1');

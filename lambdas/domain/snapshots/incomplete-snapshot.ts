import type { SkippedEntry, SnapshotManifest } from '../../../protocol/snapshots.js';

const named = 3;

const reasons: Readonly<Record<SkippedEntry['reason'], string>> = {
  entry_too_large: 'is too large',
  total_too_large: 'does not fit into the snapshot with the other files',
  too_many_entries: 'exceeds the number of files of a snapshot',
  unsupported_type: 'is neither a file nor a link',
  unsupported_name: 'has a line break in its name',
  nested_repository: 'is a Git repository whose objects lie elsewhere',
  not_readable: 'cannot be read',
  changed_while_read: 'changed during the capture',
};

/** What a degraded snapshot lacks, for a person: the first entries by name. */
export function incompleteSnapshot({
  degradation,
  skipped,
  skippedCount,
}: Pick<SnapshotManifest, 'degradation' | 'skipped' | 'skippedCount'>): string {
  const shown = skipped
    .slice(0, named)
    .map(({ path, reason }) => `${JSON.stringify(path)} ${reasons[reason]}`);
  if (shown.length === 0) return `The snapshot is not complete (${degradation}).`;
  const rest = skippedCount - shown.length;
  return `The snapshot is not complete: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`;
}

import type { SkippedEntry } from '../../../protocol/snapshots.js';

export interface FoundEntry {
  readonly path: string;
  /** As `stat` tells it: kind and rights. */
  readonly mode: number;
  readonly sizeBytes: number;
}

interface SelectionLimits {
  readonly totalBytes: number;
  readonly entryBytes: number;
  readonly entries: number;
}

/** What is left of the limits while one folder after the other is captured. */
export class SnapshotBudget {
  readonly skipped: SkippedEntry[] = [];
  private bytes = 0;
  private entries = 0;

  constructor(private readonly limits: SelectionLimits) {}

  /** The entries that are within the limits; all others are written down as skipped, under `prefix`. */
  select(found: readonly FoundEntry[], prefix: string): FoundEntry[] {
    return found.filter((entry) => {
      const reason = this.refusal(entry);
      if (reason) {
        this.skip({ path: `${prefix}${entry.path}`, reason, sizeBytes: entry.sizeBytes });
        return false;
      }
      this.entries += 1;
      this.bytes += entry.sizeBytes;
      return true;
    });
  }

  skip(entry: SkippedEntry): void {
    this.skipped.push(entry);
  }

  private refusal({ path, mode, sizeBytes }: FoundEntry): SkippedEntry['reason'] | null {
    const kind = mode & 0o170_000;
    if (kind !== 0o100_000 && kind !== 0o120_000) return 'unsupported_type';
    // Lists of names go to the workspace's own tar a line each.
    if (path.includes('\n')) return 'unsupported_name';
    if (sizeBytes > this.limits.entryBytes) return 'entry_too_large';
    if (this.entries >= this.limits.entries) return 'too_many_entries';
    if (this.bytes + sizeBytes > this.limits.totalBytes) return 'total_too_large';
    return null;
  }
}

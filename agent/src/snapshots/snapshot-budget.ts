import type { SkippedEntry } from '../../../protocol/snapshots.js';

export interface FoundEntry {
  readonly path: string;
  /** File type and permissions as in `stat`. */
  readonly mode: number;
  readonly sizeBytes: number;
}

export interface SnapshotLimits {
  readonly totalBytes: number;
  readonly entryBytes: number;
  readonly entries: number;
}

/** The remaining limits while folders are captured one after the other. */
export class SnapshotBudget {
  readonly skipped: SkippedEntry[] = [];
  private bytes = 0;
  private entries = 0;

  constructor(private readonly limits: SnapshotLimits) {}

  /** The limit of the whole snapshot, and so of each of its parts. */
  get totalBytes(): number {
    return this.limits.totalBytes;
  }

  /** For an attempt that may fail. */
  copy(): SnapshotBudget {
    const copy = new SnapshotBudget(this.limits);
    copy.skipped.push(...this.skipped);
    copy.bytes = this.bytes;
    copy.entries = this.entries;
    return copy;
  }

  /** Returns the entries within the limits. Records the others as skipped, under `prefix`. */
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
    // Folders are listed only when they are empty.
    if (![0o100_000, 0o120_000, 0o040_000].includes(kind)) return 'unsupported_type';
    // `tar` reads one name a line.
    if (path.includes('\n')) return 'unsupported_name';
    if (sizeBytes > this.limits.entryBytes) return 'entry_too_large';
    if (this.entries >= this.limits.entries) return 'too_many_entries';
    if (this.bytes + sizeBytes > this.limits.totalBytes) return 'total_too_large';
    return null;
  }
}

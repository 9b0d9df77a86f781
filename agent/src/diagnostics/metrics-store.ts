import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const keepDays = 7;

/** How busy the machine is at one moment. */
export interface ResourceSnapshot {
  readonly cpuLoadAvg1: number;
  readonly cpuLoadAvg5: number;
  readonly cpuLoadAvg15: number;
  readonly numCpu: number;
  readonly memTotalBytes: number;
  readonly memUsedBytes: number;
  readonly diskTotalBytes: number;
  readonly diskUsedBytes: number;
}

/** The machine's load of the last seven days, stored across restarts. */
export class MetricsStore implements Disposable {
  private readonly database: DatabaseSync;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.database = new DatabaseSync(path);
    chmodSync(path, 0o600);
    this.database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;
       CREATE TABLE IF NOT EXISTS resource_snapshots (
         timestamp TEXT PRIMARY KEY,
         cpu_load_avg1 REAL NOT NULL,
         cpu_load_avg5 REAL NOT NULL,
         cpu_load_avg15 REAL NOT NULL,
         num_cpu INTEGER NOT NULL,
         mem_total_bytes INTEGER NOT NULL,
         mem_used_bytes INTEGER NOT NULL,
         mem_percent REAL NOT NULL,
         disk_total_bytes INTEGER NOT NULL,
         disk_used_bytes INTEGER NOT NULL,
         disk_percent REAL NOT NULL
       ) STRICT;`,
    );
  }

  /** Stores a sample and removes samples older than seven days. */
  add(at: Date, sample: ResourceSnapshot): void {
    this.database
      .prepare('INSERT OR REPLACE INTO resource_snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(
        at.toISOString(),
        sample.cpuLoadAvg1,
        sample.cpuLoadAvg5,
        sample.cpuLoadAvg15,
        sample.numCpu,
        sample.memTotalBytes,
        sample.memUsedBytes,
        percent(sample.memUsedBytes, sample.memTotalBytes),
        sample.diskTotalBytes,
        sample.diskUsedBytes,
        percent(sample.diskUsedBytes, sample.diskTotalBytes),
      );
    const oldest = new Date(at.getTime() - keepDays * 86_400_000).toISOString();
    this.database.prepare('DELETE FROM resource_snapshots WHERE timestamp < ?').run(oldest);
  }

  /** Writes a consistent copy, including the write-ahead log, to a new file. */
  copyTo(path: string): void {
    this.database.prepare('VACUUM INTO ?').run(path);
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10;
}

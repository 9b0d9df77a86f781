import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MetricsStore } from './metrics-store.js';

const sample = {
  cpuLoadAvg1: 1.5,
  cpuLoadAvg5: 1,
  cpuLoadAvg15: 0.5,
  numCpu: 2,
  memTotalBytes: 1_000,
  memUsedBytes: 250,
  diskTotalBytes: 3_000,
  diskUsedBytes: 1_000,
};

it('keeps seven days in a private file, and copies include the write-ahead log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-'));
  using store = new MetricsStore(join(folder, 'metrics.db'));

  for (const day of [1, 2, 8]) store.add(new Date(Date.UTC(2026, 0, day, 12)), sample);
  store.add(new Date(Date.UTC(2026, 0, 9, 11)), sample);
  store.copyTo(join(folder, 'copy.db'));

  const copy = new DatabaseSync(join(folder, 'copy.db'));
  const rows = copy.prepare('SELECT * FROM resource_snapshots ORDER BY timestamp').all();
  expect(rows.map(({ timestamp }) => timestamp)).toEqual([
    '2026-01-02T12:00:00.000Z',
    '2026-01-08T12:00:00.000Z',
    '2026-01-09T11:00:00.000Z',
  ]);
  expect(rows[0]).toMatchObject({ cpu_load_avg1: 1.5, mem_percent: 25, disk_percent: 33.3 });
  expect(statSync(join(folder, 'metrics.db')).mode & 0o777).toBe(0o600);
});

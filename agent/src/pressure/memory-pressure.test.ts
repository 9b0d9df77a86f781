import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import { MemoryMonitor } from './memory-monitor.js';
import { levelOf, parseMemoryPressure } from './memory-pressure.js';

const thresholds = { some: { warning: 25, critical: 50 }, full: { warning: 10, critical: 25 } };
const textOf = ({ some = [0, 0], full = [0, 0] }: { some?: number[]; full?: number[] } = {}) =>
  `some avg10=${some[0]} avg60=${some[1]} avg300=90.00 total=53141\nfull avg10=${full[0]} avg60=${full[1]} avg300=90.00 total=34229\n`;

it('reads both lines of the kernel', () => {
  expect(parseMemoryPressure(textOf({ some: [1.5, 2], full: [0.25, 0] }))).toEqual({
    some: { avg10: 1.5, avg60: 2, avg300: 90, total: 53141 },
    full: { avg10: 0.25, avg60: 0, avg300: 90, total: 34229 },
  });
});

it.each([
  ['', 'some'],
  [textOf().split('\n')[0] ?? '', 'full'],
  [textOf().replace('avg60=0', 'avg60=1.2.3'), 'some'],
  [textOf().replace('total=34229', ''), 'full'],
])('refuses %j', (text, missing) => {
  expect(() => parseMemoryPressure(text)).toThrow(`"${missing}"`);
});

it.each([
  [{ some: [24.9, 0], full: [0, 9.9] }, 'none'],
  [{ some: [25, 0] }, 'warning'],
  [{ some: [0, 25] }, 'warning'],
  [{ full: [10, 0] }, 'warning'],
  [{ some: [49.9, 0], full: [24.9, 0] }, 'warning'],
  [{ some: [50, 0] }, 'critical'],
  [{ some: [0, 50] }, 'critical'],
  [{ full: [0, 25] }, 'critical'],
])('takes the larger of the short and the long average: %j is %s', (given, level) => {
  expect(levelOf(parseMemoryPressure(textOf(given)), thresholds)).toBe(level);
});

it('keeps its state when the kernel cannot be read, and ends permanently without the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'psi-'));
  const path = join(folder, 'memory');
  const lines: string[] = [];
  const log = new Log({ level: 'debug', format: 'json' }, (line) => lines.push(line));
  const monitor = new MemoryMonitor(thresholds, log, path);
  const now = new Date();

  writeFileSync(path, textOf({ some: [30, 0] }));
  expect(monitor.sample(now)).toMatchObject({ level: 'warning', collectedAt: now });
  writeFileSync(path, 'nonsense');
  expect(monitor.sample(new Date())).toBeNull();
  expect(monitor.state).toMatchObject({ isAvailable: true, level: 'warning', collectedAt: now });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"warn"');

  rmSync(path);
  expect([monitor.sample(now), monitor.sample(now)]).toEqual([null, null]);
  expect(lines).toHaveLength(2);
  writeFileSync(path, textOf({ some: [90, 0] }));
  expect(monitor.sample(now)).toBeNull();
  expect(monitor.state).toMatchObject({ isAvailable: false, level: 'none' });
  rmSync(folder, { recursive: true });
});

it('sees that the level has become critical, and keeps the last sample', () => {
  const folder = mkdtempSync(join(tmpdir(), 'psi-'));
  const path = join(folder, 'memory');
  const monitor = new MemoryMonitor(thresholds, new Log({ level: 'error', format: 'json' }, () => {}), path);
  const see = (text: string) => {
    writeFileSync(path, text);
    return monitor.hasBecomeCritical();
  };

  expect([see(textOf({ some: [49, 0] })), see('nonsense'), see(textOf({ full: [25, 0] }))]).toEqual([
    false,
    false,
    true,
  ]);
  expect(monitor.state).toMatchObject({ level: 'none', collectedAt: null });
  monitor.sample(new Date());
  expect(monitor.hasBecomeCritical()).toBe(false);
  rmSync(path);
  expect(monitor.hasBecomeCritical()).toBe(false);
  rmSync(folder, { recursive: true });
});

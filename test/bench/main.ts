import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDocker } from '../../local/ec2/node-containers.js';
import { freePortRange } from '../../local/processes/ports.js';
import { measureAgentStart } from './agent-start.js';
import { measureBundles } from './bundles.js';
import { measureBursts } from './bursts.js';
import { measureCapture } from './capture.js';
import { measurePages } from './chats/measure-pages.js';
import { measureConsole } from './console/measure-console.js';
import { measureCost } from './cost/measure-cost.js';
import { measureDay } from './day.js';
import { measureEventWakes } from './event-wakes.js';
import { measureEviction } from './eviction.js';
import { measureInteractions } from './interactions.js';
import { measureLargeRepository } from './large-repository.js';
import { type Measurement, toMarkdown } from './measurement.js';
import { measurePreviews } from './previews.js';
import { measurePromptReceipts } from './prompt-receipts.js';
import { measureSleep } from './sleep.js';
import { StartedBerth } from './started-berth.js';
import { measureStreaming } from './streaming.js';
import { measureTasks } from './tasks/measure-tasks.js';
import { measureTerminal } from './terminal.js';
import { measureTerminals } from './terminals/measure-terminals.js';
import { measureWatch } from './watch.js';
import { writeFigures } from './written-figures.js';

/**
 * `npm run bench`: the figures of docs/performance.md, each part in a table of its own; `npm run
 * bench -- terminals` measures that part only. With `--write` what was measured is written there.
 * The bundles are those that the first start builds.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const parts: Readonly<Record<string, () => Promise<readonly Measurement[]>>> = {
  laptop: measureLaptop,
  watch: measureWatch,
  bundles: () => measureBundles(root),
  start: measureAgentStart,
  prompts: measurePromptReceipts,
  streaming: measureStreaming,
  repository: measureLargeRepository,
  terminals: measureTerminals,
  previews: measurePreviews,
  tasks: measureTasks,
  interactions: measureInteractions,
  bursts: measureBursts,
  sleep: measureSleep,
  capture: measureCapture,
  wakes: measureEventWakes,
  eviction: measureEviction,
  day: measureDay,
  cost: measureCost,
  pages: measurePages,
  console: measureConsole,
};
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`No part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
const stateDir = mkdtempSync(join(tmpdir(), 'berth-bench-'));
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) await measurePart(name);
} finally {
  rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
}

async function measurePart(name: string): Promise<void> {
  const loadBefore = load();
  const figures = (await parts[name]?.()) ?? [];
  // Some parts need a program that is not on every machine.
  if (figures.length === 0) return;
  const text = `${circumstances(name, loadBefore)}\n\n${toMarkdown(figures)}`;
  console.log(`${text}\n`);
  if (process.argv.includes('--write'))
    writeFigures(join(root, 'docs/performance.md'), { part: name, figures: text });
}

/**
 * A start that deploys, one that has nothing to deploy, and where there is an engine one with
 * containers.
 */
async function measureLaptop(): Promise<readonly Measurement[]> {
  const laptop = { root, stateDir, port: await freePortRange(4) };
  const figures: Measurement[] = [];
  // The first start builds and deploys everything.
  rmSync(join(root, '.cache/builds'), { recursive: true, force: true });
  {
    await using first = await StartedBerth.start({ ...laptop, role: 'standalone' });
    figures.push({ name: 'npm start, nothing deployed', value: first.startSeconds, unit: 's', limit: 45 });
  }
  {
    await using again = await StartedBerth.start({ ...laptop, role: 'standalone' });
    figures.push({ name: 'npm start, again', value: again.startSeconds, unit: 's', limit: 20 });
    figures.push(...(await measureTerminal(again.url, 'standalone')));
  }
  if (!(await findDocker())) return figures;
  await using containers = await StartedBerth.start({ ...laptop, role: 'workspace' });
  return [...figures, ...(await measureTerminal(containers.url, 'workspace'))];
}

function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}

function circumstances(part: string, loadBefore: string): string {
  const processors = cpus();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  return [
    `Measured ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC at ${commit} by \`npm run bench -- ${part}\`:`,
    `${processors.length} cores (${processors[0]?.model.trim() ?? 'unknown'}),`,
    `${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}.`,
    `Load average (1, 5, 15 min) before ${loadBefore}, after ${load()}.`,
  ].join('\n');
}

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { NemesisResult } from './nemesis-run.js';

const begin = '<!-- nemesis: begin -->';
const end = '<!-- nemesis: end -->';

const names: Readonly<Record<string, string>> = {
  deliveries: 'Prompts and starts',
  starts: '— of these starts',
  requests: 'Requests sent for them',
  cutRequests: '— with their connection cut',
  changedPrompts: '— with another text under a used id',
  invocations: 'Invocations that the harness wrote down',
  completed: 'Receipts completed',
  ambiguous: 'Receipts ambiguous',
  leftAlone: 'Left alone by the client’s rules',
  agentKills: 'Kills of the agent',
  harnessKills: 'Kills of a harness',
  harnessFreezes: 'Freezes of a harness',
};

/** Writes the result of a run between the markers of the page. */
export function writeResult(
  page: string,
  { violations, counts, seconds }: NemesisResult,
  { prompts, seed }: { readonly prompts: number; readonly seed: number },
): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const rows = Object.entries(counts).map(([name, count]) => `| ${names[name] ?? name} | ${count} |`);
  const broken = violations.map(({ rule, deliveryId, detail }) => `- ${rule}: ${deliveryId} (${detail})`);
  const text = [
    `\`npm run nemesis:agent -- --prompts ${prompts} --seed ${seed}\` on ${new Date().toISOString().slice(0, 10)} at ${commit},`,
    `${cpus().length} cores, ${Math.round(seconds / 60)} minutes: **${violations.length} violations**.`,
    '',
    '| | |',
    '|---|---|',
    ...rows,
    ...(broken.length > 0 ? ['', ...broken] : []),
  ].join('\n');
  const [before, rest] = readFileSync(page, 'utf8').split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${page} has no marks`);
  writeFileSync(page, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeHostDeadlines } from './code-host-deadlines.js';
import { deadlines, ends, liveThings } from './deadlines.js';

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');

const within = (seconds: number | null): string => {
  if (seconds === null) return 'stays';
  if (seconds === 0) return 'at once';
  return seconds < 120 ? `${seconds} s` : `${seconds / 60} min`;
};

it('docs/security.md states when each live thing ends with a right', () => {
  const head = `| | ${ends.join(' | ')} |`;
  const rows = liveThings.map(
    (thing) => `| ${thing} | ${ends.map((end) => within(deadlines[end][thing])).join(' | ')} |`,
  );

  expect(page).toContain([head, `|${'---|'.repeat(ends.length + 1)}`, ...rows].join('\n'));
});

it('docs/security.md states what ends with access to the repository on the code host', () => {
  const rows = Object.values(codeHostDeadlines).map(
    ({ live, endsWithinSeconds, because }) => `| ${live} | ${within(endsWithinSeconds)} | ${because} |`,
  );

  expect(page).toContain(rows.join('\n'));
});

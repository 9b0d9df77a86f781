import { expect, it } from 'vitest';
import { incompleteSnapshot } from './incomplete-snapshot.js';

const entry = (path: string) => ({ path, reason: 'nested_repository' as const });

it('names the first entries that a snapshot lacks, and counts the others', () => {
  const skipped = [entry('vendor/'), { path: 'a\nb', reason: 'unsupported_name' as const }];

  expect(incompleteSnapshot({ degradation: 'entries-skipped', skipped, skippedCount: 2 })).toBe(
    'The snapshot is not complete: "vendor/" is a Git repository whose objects lie elsewhere; "a\\nb" has a line break in its name.',
  );
  expect(
    incompleteSnapshot({
      degradation: 'entries-skipped',
      skipped: [entry('a/'), entry('b/'), entry('c/'), entry('d/')],
      skippedCount: 9,
    }),
  ).toMatch(/"c\/" [^;]*; and 6 more\.$/);
});

it('names the kind of loss when no entry is named', () => {
  expect(incompleteSnapshot({ degradation: 'agent-context-skipped', skipped: [], skippedCount: 0 })).toBe(
    'The snapshot is not complete (agent-context-skipped).',
  );
});

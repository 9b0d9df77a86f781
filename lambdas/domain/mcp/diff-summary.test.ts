import { expect, it } from 'vitest';
import { changedFiles, summaryOf, uncommitted } from './diff-summary.js';

const diff = `diff --git a/gate.ts b/gate.ts
index 1..2 100644
--- a/gate.ts
+++ b/gate.ts
@@ -1,2 +1,3 @@
 hinge
-red
+green
+--- painted
diff --git a/old name.md b/new name.md
similarity index 100%
rename from old name.md
rename to new name.md
diff --git a/photo.png b/photo.png
index 1..2 100644
Binary files a/photo.png and b/photo.png differ
`;

it('counts the lines of each file', () => {
  expect(changedFiles(diff)).toEqual([
    { path: 'gate.ts', additions: 2, deletions: 1 },
    { path: 'new name.md', additions: 0, deletions: 0 },
    { path: 'photo.png', additions: 0, deletions: 0 },
  ]);
  expect(summaryOf(diff, false)).toMatchObject({
    ...{ filesChanged: 3, additions: 2, deletions: 1, truncated: false },
  });
  expect(summaryOf('', false)).toEqual({
    ...{ filesChanged: 0, additions: 0, deletions: 0, files: [], truncated: false },
  });
});

it('names at most 100 files, and states that there are more', () => {
  const many = Array.from({ length: 101 }, (_, at) => ({ path: `f${at}`, status: '??' }));

  const { files, truncated, untracked } = uncommitted({
    ...{ staged: [], unstaged: [], untracked: many, truncated: false },
  });

  expect([files.length, truncated, untracked]).toEqual([100, true, 101]);
});

it('names files of 16,000 characters together, and states that there are more', () => {
  const path = (at: number) => `${at}${'x'.repeat(3_999)}`;
  const untracked = Array.from({ length: 5 }, (_, at) => ({ path: path(at), status: '??' }));
  const diffOf = (at: number) => `diff --git a/${path(at)} b/${path(at)}\n@@ -1 +1 @@\n+green\n`;

  const listed = uncommitted({ ...{ staged: [], unstaged: [], untracked }, truncated: false });
  const summary = summaryOf([0, 1, 2, 3, 4].map(diffOf).join(''), false);

  expect(listed).toMatchObject({ untracked: 5, truncated: true });
  expect(listed.files).toHaveLength(4);
  expect(summary).toMatchObject({ filesChanged: 5, additions: 5, truncated: true });
  expect(summary.files).toHaveLength(4);
});

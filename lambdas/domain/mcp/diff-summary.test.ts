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

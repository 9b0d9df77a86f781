import { describe, expect, it } from 'vitest';
import { canBeAskedFor, shownPath, unquoted } from './git-path.js';
import { linesOf, sectionsOf, sideBySide } from './unified-diff.js';

const diff = `diff --git a/src/a file.ts b/src/a file.ts
index 1..2 100644
--- a/src/a file.ts\t
+++ b/src/a file.ts\t
@@ -1,3 +1,4 @@ function a() {
 one
-two
+2
+diff --git a/not b/a-file
 three
@@ -10 +11 @@
-ten
\\ No newline at end of file
+TEN
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
---- text
diff --git a/a b.png b/a b.png
new file mode 100644
Binary files /dev/null and b/a b.png differ
diff --git "a/line\\nbreak \\303\\274" "b/line\\nbreak \\303\\274"
new file mode 100644
--- /dev/null
+++ "b/line\\nbreak \\303\\274"
@@ -0,0 +1 @@
+x
`;

describe('a diff', () => {
  it('names its files, what happened to them, and how many lines changed', () => {
    expect(
      sectionsOf(diff).map(({ path, oldPath, kind, isBinary, added, removed }) =>
        [path, oldPath, kind, isBinary, added, removed].join('|'),
      ),
    ).toEqual([
      'src/a file.ts||modified|false|3|2',
      'new.txt|old.txt|renamed|false|0|0',
      'gone.txt||deleted|false|0|1',
      'a b.png||added|true|0|0',
      'line\nbreak ü||added|false|1|0',
    ]);
  });

  it('numbers the lines of both sides', () => {
    const { lines, hasMore } = linesOf(sectionsOf(diff)[0]?.body ?? '', 100);
    expect(hasMore).toBe(false);
    expect(lines.map(({ kind, oldLine, newLine, text }) => `${kind} ${oldLine} ${newLine} ${text}`)).toEqual([
      'hunk null null @@ -1,3 +1,4 @@ function a() {',
      'context 1 1 one',
      'removed 2 null two',
      'added null 2 2',
      'added null 3 diff --git a/not b/a-file',
      'context 3 4 three',
      'hunk null null @@ -10 +11 @@',
      'removed 10 null ten',
      'note null null \\ No newline at end of file',
      'added null 11 TEN',
    ]);
  });

  it('stands side by side', () => {
    const { lines } = linesOf('@@ -1,2 +1,3 @@\n-a\n-b\n+A\n+B\n+C\n d', 100);
    expect(sideBySide(lines).map(([left, right]) => [left?.text, right?.text])).toEqual([
      ['@@ -1,2 +1,3 @@', '@@ -1,2 +1,3 @@'],
      ['a', 'A'],
      ['b', 'B'],
      [undefined, 'C'],
      ['d', 'd'],
    ]);
  });

  it('of 10 MB is listed at once, and read as far as it is shown', () => {
    const file = (name: string) =>
      `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,50000 @@\n${'+0123456789\n'.repeat(80_000)}`;
    const huge = Array.from({ length: 11 }, (_, index) => file(`f${index}`)).join('');
    expect(huge.length).toBeGreaterThan(10_000_000);

    const began = performance.now();
    const sections = sectionsOf(huge);
    const { lines, hasMore } = linesOf(sections[0]?.body ?? '', 500);

    expect(sections.map(({ added }) => added)).toEqual(Array(11).fill(80_000));
    expect([lines.length, hasMore]).toEqual([500, true]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('without a file is empty', () => {
    expect(sectionsOf('')).toEqual([]);
    expect(sectionsOf('warning: nothing\n')).toEqual([]);
  });
});

it('shows what a name hides', () => {
  expect(unquoted('"a\\tb\\"c\\\\d"')).toBe('a\tb"c\\d');
  expect(unquoted('plain name')).toBe('plain name');
  expect(shownPath('a\nb\u202ec\u0007')).toBe('a\\nb\\u{202e}c\\u{7}');
  expect([canBeAskedFor('a\nb'), canBeAskedFor('ä b')]).toEqual([false, true]);
});

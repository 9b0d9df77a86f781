import { expect, it } from 'vitest';
import { editsOf, plainOutput, planProgress } from './tool-text.js';

const lines = (count: number, change = '') =>
  Array.from({ length: count }, (_, index) => (index === 5 && change ? change : `line ${index}`));
const edit = (path: string, old: string[], fresh: string[]) =>
  [path, ...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)].join('\n');

it('shows of an edit what differs, with lines around it', () => {
  const [file] = editsOf(edit('/w/a.ts', lines(12), lines(12, 'five'))) ?? [];
  expect(file?.path).toBe('/w/a.ts');
  expect(file?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    ...['gap …', 'context line 2', 'context line 3', 'context line 4', 'removed line 5', 'added five'],
    ...['context line 6', 'context line 7', 'context line 8', 'gap …'],
  ]);
});

it('reads edits of several files, and of new ones', () => {
  const text = `${edit('/w/a b.ts', [], ['new', '', 'file'])}\n\n${edit('/w/c.ts', ['x'], [])}`;
  expect(editsOf(text)?.map(({ path, lines: { length } }) => [path, length])).toEqual([
    ['/w/a b.ts', 3],
    ['/w/c.ts', 1],
  ]);
});

it.each(['', 'done', 'a.ts\nplain text', '+a\n-b', '{"ok":true}'])(
  'takes other text for no edit: %j',
  (text) => {
    expect(editsOf(text)).toBeNull();
  },
);

it('drops colours and titles of a terminal', () => {
  expect(plainOutput('\u001b[1;32mok\u001b[0m \u001b]0;title\u0007done\r\n')).toBe('ok done\n');
});

it('says how far a plan has come', () => {
  expect(planProgress('- [x] one\n- [~] two\n- [ ] three')).toEqual({ done: 1, count: 3, present: 'two' });
  expect(planProgress('- [x] one')).toEqual({ done: 1, count: 1, present: null });
});

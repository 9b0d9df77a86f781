import { expect, it } from 'vitest';
import { markOf, reviewPrompt } from './review.js';

it('sends all remarks as one message that names each line', () => {
  const common = { id: '1', isOld: false };
  const text = reviewPrompt([
    { ...common, path: 'src/a.ts', line: 12, quote: 'const a = 1;', text: 'Use a better name.' },
    { ...common, path: 'b\nc', line: 3, isOld: true, quote: 'x', text: 'Why?' },
    { ...common, path: 'README.md', line: null, quote: '', text: 'Too long.' },
  ]);
  expect(text).toBe(
    'Please change the following:\n\nsrc/a.ts:12\n> const a = 1;\nUse a better name.\n\n' +
      'b\\nc:3 (removed line)\n> x\nWhy?\n\nREADME.md\nToo long.',
  );
});

it('marks a file again when it changes', () => {
  expect(markOf('a', 'x')).toBe(markOf('a', 'x'));
  expect(markOf('a', 'x')).not.toBe(markOf('a', 'y'));
});

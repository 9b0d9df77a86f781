import { Terminal } from '@xterm/headless';
import type { Terminal as ShownTerminal } from '@xterm/xterm';
import { expect, it } from 'vitest';
import { addressesIn, findAbove } from './terminal-find.js';

it.each([
  ['see https://example.com/a?b=1.', ['https://example.com/a?b=1']],
  ['(http://localhost:3000)', ['http://localhost:3000']],
  ['javascript:alert(1) file:///etc/passwd data:text/html,x', []],
])('links addresses of the web only: %s', (line, expected) => {
  expect(addressesIn(line).map(({ text }) => text)).toEqual(expected);
});

it('finds a text upwards, place after place, and begins again at the end', async () => {
  const headless = new Terminal({ rows: 5, cols: 40, allowProposedApi: true, scrollback: 100 });
  await new Promise<void>((done) => headless.write('one Error\r\ntwo\r\nerror and error\r\nend', done));
  let selection: { x: number; y: number } | undefined;
  const terminal = Object.assign(Object.create(headless) as ShownTerminal, {
    select: (x: number, y: number) => {
      selection = { x, y };
    },
    getSelectionPosition: () => selection && { start: selection, end: selection },
  });
  const places = Array.from({ length: 4 }, () => findAbove(terminal, 'error') && { ...selection });

  expect(places).toEqual([
    { x: 10, y: 2 },
    { x: 0, y: 2 },
    { x: 4, y: 0 },
    { x: 10, y: 2 },
  ]);
  expect(findAbove(terminal, 'missing')).toBe(false);
});

import { expect, it } from 'vitest';
import { nextPane } from './panes.js';

const focused = {} as Element;
const pane = (name: string, holds = false) => ({ name, contains: () => holds });
const [rail, main, chat] = [pane('rail'), pane('main', true), pane('chat', true)];

it('goes round the panes in both directions', () => {
  expect(nextPane([rail, main], focused, 1)).toBe(rail);
  expect(nextPane([rail, main], focused, -1)).toBe(rail);
  expect(nextPane([pane('rail', true), pane('main'), pane('log')], focused, 1)?.name).toBe('main');
  expect(nextPane([pane('rail', true), pane('main'), pane('log')], focused, -1)?.name).toBe('log');
});

it('takes the inner of two panes for the one that has the focus', () => {
  expect(nextPane([rail, main, chat], focused, -1)).toBe(main);
});

it('begins at the first pane, or at the last, when none has the focus', () => {
  expect(nextPane([rail, pane('main')], null, 1)).toBe(rail);
  expect(nextPane([rail, pane('main')], null, -1)?.name).toBe('main');
  expect(nextPane([], null, 1)).toBeUndefined();
});

import { expect, it } from 'vitest';
import { TerminalNames } from './terminal-names.js';

const storage = (initial: string | null = null) => {
  let value = initial;
  const setItem = (_key: string, next: string) => {
    value = next;
  };
  return { getItem: () => value, setItem };
};

it('begins with one terminal, and remembers those that are added, renamed and closed', () => {
  const names = new TerminalNames(storage(), 'w');
  expect(names.read()).toEqual([{ id: 'console', name: 'Terminal 1' }]);
  names.add();
  names.add();
  names.rename('console-2', 'server');
  names.remove('console');
  expect(names.read()).toEqual([
    { id: 'console-2', name: 'server' },
    { id: 'console-3', name: 'Terminal 3' },
  ]);
  names.remove('console-2');
  expect(names.add().id).toBe('console-2');
});

it.each(['{', '[{"id":"a b","name":"x"}]', '[null]', '{}'])(
  'begins again after a value such as %s',
  (value) => {
    expect(new TerminalNames(storage(value), 'w').read()).toEqual([{ id: 'console', name: 'Terminal 1' }]);
  },
);

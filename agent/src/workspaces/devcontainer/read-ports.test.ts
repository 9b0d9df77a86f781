import { expect, it } from 'vitest';
import { readPorts } from './read-ports.js';

it('reads numbers, services and ranges, and prefers the label of a single port', () => {
  const forwardPorts = [3000, '8080', 'db:5432', 'localhost:9000', 3000];
  const portsAttributes = {
    '3000-3010': { label: 'Tests' },
    3000: { label: ' Shop ', onAutoForward: 'notify' },
    'db:5432': { label: 'Database' },
    8080: { onAutoForward: 'ignore' },
  };

  expect(readPorts({ forwardPorts, portsAttributes }, ['app', 'db'])).toEqual({
    ports: {
      forwarded: [3000, 8080, 5432, 9000],
      labels: [
        { from: 3000, to: 3000, label: 'Shop' },
        { from: 5432, to: 5432, label: 'Database' },
        { from: 3000, to: 3010, label: 'Tests' },
      ],
    },
    notes: [],
  });
});

it.each([0, 65_536, -1, 3000.5, '3000-3001', 'web:80', 'a b:80', '', null, {}, ['80'], '169.254.169.254:80'])(
  'leaves out the forwarded port %j',
  (value) => {
    const { ports, notes } = readPorts({ forwardPorts: [value] }, ['db']);

    expect(ports.forwarded).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('forwardPorts ignored')]);
  },
);

it.each([
  ['(a+)+$', { label: 'x' }],
  ['3010-3000', { label: 'x' }],
  ['3000', { label: '' }],
  ['3000', { label: 'x'.repeat(65) }],
  ['3000', { label: 'a\nb' }],
  ['3000', { label: 'a\u202eb' }],
  ['3000', { label: 7 }],
  ['3000', 'x'],
])('leaves out the attributes of %j with %j', (key, attributes) => {
  const { ports, notes } = readPorts({ portsAttributes: { [key]: attributes } }, []);

  expect(ports.labels).toEqual([]);
  expect(notes).toEqual([expect.stringContaining('portsAttributes ignored')]);
});

it.each([[{ forwardPorts: 'x', portsAttributes: [] }], [{ forwardPorts: null, portsAttributes: null }]])(
  'leaves out values of another type in %j',
  (requested) => {
    expect(readPorts(requested, []).notes).toHaveLength(2);
  },
);

it('takes at most 50 ports and 50 labels', () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const portsAttributes = Object.fromEntries(numbers.map((port) => [port, { label: 'x' }]));
  const { ports, notes } = readPorts({ forwardPorts: numbers, portsAttributes }, []);

  expect([ports.forwarded.length, ports.labels.length, notes.length]).toEqual([50, 50, 2]);
});

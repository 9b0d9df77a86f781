import { expect, it } from 'vitest';
import { recordAfter, recordChange } from './record-change.js';

interface Lamp {
  readonly color: string | null;
  readonly switches: number;
  readonly rooms?: ReadonlySet<string>;
  readonly version: number;
  readonly updatedAt: string;
}

const key = { pk: 'LAMP#1', sk: 'LAMP' };
const now = new Date('2026-11-22T10:00:00Z');

it('increments the version and sets the time of every change that clients see', () => {
  expect(recordChange<Lamp>(key, { set: { color: 'red' }, increment: { switches: 2 }, now })).toEqual({
    key,
    set: { color: 'red', updatedAt: '2026-11-22T10:00:00.000Z' },
    add: { switches: 2, version: 1 },
    when: { exists: true },
  });
});

it('removes fields that become null and leaves undefined ones as they are', () => {
  const change = recordChange<Lamp>(key, { set: { color: null, switches: undefined }, now });
  expect(change.remove).toEqual(['color']);
  expect(change.set).toEqual({ switches: undefined, updatedAt: '2026-11-22T10:00:00.000Z' });
});

it('leaves the version of an internal change as it is', () => {
  const change = recordChange<Lamp>(key, { isInternal: true, when: { equals: { switches: 3 } }, now });
  expect(change).toMatchObject({ add: {}, when: { exists: true, equals: { switches: 3 } } });
});

it('adds and removes members of sets, index keys and the time of deletion', () => {
  const index = { parentPk: null, parentSk: null };
  const change = recordChange<Lamp>(key, { takeOut: { rooms: 'hall' }, index, expiresInSeconds: 60, now });
  expect(change).toMatchObject({
    set: { expiresAt: 1_795_341_660 },
    remove: ['parentPk', 'parentSk'],
    takeOut: { rooms: new Set(['hall']) },
  });
  expect(recordChange<Lamp>(key, { addTo: { rooms: 'hall' }, now }).add).toEqual({
    rooms: new Set(['hall']),
    version: 1,
  });
});

it('predicts the record that a transaction leaves', () => {
  const lamp: Lamp = { color: 'red', switches: 1, version: 4, updatedAt: '2026-11-22T09:00:00.000Z' };
  expect(recordAfter(lamp, { set: { color: null, switches: undefined }, now })).toEqual({
    color: null,
    switches: 1,
    version: 5,
    updatedAt: '2026-11-22T10:00:00.000Z',
  });
});

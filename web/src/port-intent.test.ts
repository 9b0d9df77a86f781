import { expect, it } from 'vitest';
import { PortIntent } from './port-intent.js';

const stored = new Map<string, string>();
const intentOf = (service: string) =>
  new PortIntent(
    {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => stored.set(key, value),
      removeItem: (key) => stored.delete(key),
    },
    service,
  );

it('opens a port once for one choice of the person', () => {
  intentOf('one:5173').record(1_000_000);

  expect(intentOf('one:5173').take(1_000_500)).toBe(true);
  expect(intentOf('one:5173').take(1_000_600)).toBe(false);
});

it('opens no other port, and none without a choice or long after it', () => {
  expect(intentOf('one:5173').take(1_000_000)).toBe(false);
  intentOf('one:5173').record(1_000_000);

  expect(intentOf('one:3000').take(1_000_000)).toBe(false);
  expect(intentOf('one:5173').take(1_030_000)).toBe(false);
  intentOf('one:5173').record(1_000_000);
  expect(intentOf('one:5173').take(999_000)).toBe(false);
});

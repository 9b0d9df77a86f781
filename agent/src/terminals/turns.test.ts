import { expect, it } from 'vitest';
import { Turns } from './turns.js';

const [typist, flood, otherFlood] = ['typist', 'flood', 'other flood'];

function turnsAt(clock: { ms: number }) {
  return new Turns(4, () => clock.ms);
}

it('lets a flood go on while nobody types', () => {
  expect(turnsAt({ ms: 1_000 }).restMs(flood)).toBe(0);
});

it('lets a flood go on beside keys typed at itself', () => {
  const turns = turnsAt({ ms: 1_000 });
  turns.typed(flood);

  expect(turns.restMs(flood)).toBe(0);
});

it('gives floods one turn after the other beside somebody who types', () => {
  const clock = { ms: 1_000 };
  const turns = turnsAt(clock);
  turns.typed(typist);

  expect([turns.restMs(flood), turns.restMs(otherFlood)]).toEqual([5, 10]);

  clock.ms += 5;
  expect(turns.restMs(flood)).toBe(10);
});

it('makes turns longer where processors are few', () => {
  const turns = new Turns(1, () => 1_000);
  turns.typed(typist);

  expect([turns.restMs(flood), turns.restMs(otherFlood)]).toEqual([20, 40]);
});

it('keeps no turns for those who did not come', () => {
  const clock = { ms: 1_000 };
  const turns = turnsAt(clock);
  turns.typed(typist);
  turns.restMs(flood);

  clock.ms += 400;
  expect(turns.restMs(flood)).toBe(5);
});

it('lets a flood go on once nobody has typed for a while', () => {
  const clock = { ms: 1_000 };
  const turns = turnsAt(clock);
  turns.typed(typist);

  clock.ms += 501;
  expect(turns.restMs(flood)).toBe(0);
});

import { expect, it } from 'vitest';
import { ServerClock } from './server-clock.js';

const noon = Date.parse('2026-11-21T12:00:00Z');
const httpDate = (ms: number) => new Date(ms).toUTCString();

it('is the local clock until the control plane has answered', () => {
  expect(new ServerClock(() => noon).now().getTime()).toBe(noon);
});

it.each([
  ['an hour behind', 3_600_000],
  ['an hour ahead', -3_600_000],
])('follows the control plane when the own clock is %s', (_, offsetMs) => {
  const clock = new ServerClock(() => noon);

  clock.observe(httpDate(noon + offsetMs));

  expect(clock.offsetMs).toBe(offsetMs);
  expect(clock.now().getTime()).toBe(noon + offsetMs);
});

it('tolerates a few seconds of latency, and returns to the local clock when it is right again', () => {
  const clock = new ServerClock(() => noon);
  clock.observe(httpDate(noon + 60_000));

  clock.observe(httpDate(noon - 4_000));

  expect(clock.offsetMs).toBe(0);
});

it.each([null, '', 'yesterday'])('ignores the date %j', (date) => {
  const clock = new ServerClock(() => noon);

  clock.observe(date);

  expect(clock.offsetMs).toBe(0);
});

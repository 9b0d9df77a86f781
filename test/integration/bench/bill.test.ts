import { describe, expect, it } from 'vitest';
import { billOf, plus, times, totalOf } from '../../bench/cost/bill.js';
import type { UsageLine } from '../../bench/cost/usage.js';

const called: UsageLine = {
  kind: 'function',
  name: 'any',
  trigger: 'http',
  ms: 1_000,
  mb: 1_024,
  answered: 0,
  logged: 0,
  reported: false,
};

describe('a bill', () => {
  it('charges a function for its time and memory, and a request for the way to it', () => {
    const { functions, requests, table } = billOf([called]);

    expect(functions).toBeCloseTo(0.2e-6 + 13.3334e-6, 12);
    expect(requests).toBeCloseTo(2e-6, 6);
    expect(table).toBe(0);
  });

  it('charges for what Lambda logs of an invocation only where it does', () => {
    const rest = (line: UsageLine) => billOf([line]).rest;

    expect(rest({ ...called, logged: 600 })).toBeCloseTo(600 * 0.5e-9, 15);
    expect(rest({ ...called, logged: 600, reported: true })).toBeCloseTo(1_000 * 0.5e-9, 15);
  });

  it('charges a signature more than another use of a key, and a message three times', () => {
    const request = (service: string, action: string): UsageLine => ({ kind: 'request', service, action });

    const { keys, queues } = billOf([
      request('kms', 'Sign'),
      request('kms', 'Decrypt'),
      request('sqs', 'SendMessage'),
    ]);

    expect(keys).toBeCloseTo(18e-6, 12);
    expect(queues).toBeCloseTo(1.5e-6, 12);
  });

  it('charges a frame by 32 KB', () => {
    const live = (bytes: number) => billOf([{ kind: 'frame', bytes }]).live;

    expect(live(32_768)).toBeCloseTo(1e-6, 12);
    expect(live(32_769)).toBeCloseTo(2e-6, 12);
  });

  it('leaves out what runs by the clock, used or not', () => {
    expect(totalOf(billOf([{ ...called, trigger: 'schedule' }]))).toBe(0);
  });

  it('adds up and scales', () => {
    const one = billOf([{ kind: 'table', action: 'PutItem', read: 0, write: 8, items: 1 }]);

    expect(totalOf(plus(one, times(one, 200)))).toBeCloseTo(201 * 5e-6, 12);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { NodeUnreachable } from '../nodes/errors.js';
import { CircuitBreaker } from './circuit-breaker.js';

const start = Date.parse('2026-11-21T10:00:00.000Z');
const address = { nodeId: '01JD3ZK5W8Q2V7N4B6M9X0TRGH', url: 'https://192.0.2.7:8443', certificatePem: null };
let now: number;
let circuits: CircuitBreaker;

beforeEach(() => {
  now = start;
  circuits = new CircuitBreaker(() => now);
});

const fail = (times: number, at = address) => {
  for (let time = 0; time < times; time += 1) circuits.failed(at);
};

const isLet = (at = address): boolean => {
  try {
    circuits.admit(at);
    return true;
  } catch (error) {
    if (error instanceof NodeUnreachable) return false;
    throw error;
  }
};

const beatAt = (ms: number) => ({ ...address, lastHeartbeatAt: new Date(ms).toISOString() });

describe('the circuit to a node', () => {
  it('stays closed while any of three calls in a row is answered', () => {
    fail(2);
    circuits.answered(address);
    fail(2);

    expect(isLet()).toBe(true);
  });

  it('opens after three calls without an answer, and says when to come back and that nothing was sent', () => {
    fail(3);
    now += 1_500;

    expect(() => circuits.admit(address)).toThrow(
      expect.objectContaining({ name: 'NodeUnreachable', mayHaveActed: false, retryAfter: 4 }),
    );
  });

  it('opens at the first failure of a node that has not beaten for long', () => {
    fail(1, beatAt(start - 400_000));

    expect(isLet()).toBe(false);
  });

  it('bears two failures of a node that beats, or of which nothing was read', () => {
    fail(2, beatAt(start - 10_000));

    expect(isLet()).toBe(true);
  });

  it('lets one call try after the pause, and no other during that call', () => {
    fail(3);
    now += 5_000;

    expect([isLet(), isLet()]).toEqual([true, false]);
  });

  it('closes when the try is answered', () => {
    fail(3);
    now += 5_000;
    circuits.admit(address);
    circuits.answered(address);

    expect([isLet(), isLet()]).toEqual([true, true]);
  });

  it('pauses for twice as long after each try that fails, up to a minute', () => {
    fail(3);
    const pauses = [5_000, 10_000, 20_000, 40_000, 60_000, 60_000];

    for (const pause of pauses) {
      now += pause - 1;
      expect(isLet()).toBe(false);
      now += 1;
      expect(isLet()).toBe(true);
      circuits.failed(address);
    }
  });

  it('lets a call try at once when the node has beaten since', () => {
    fail(3);
    now += 100;

    expect(isLet(beatAt(start - 1))).toBe(false);
    expect(isLet(beatAt(start + 50))).toBe(true);
  });

  it('is its own for each node, and for each address of a node', () => {
    fail(3);

    expect(isLet({ ...address, nodeId: '01JD3ZK5W8Q2V7N4B6M9X0TRGJ' })).toBe(true);
    expect(isLet({ ...address, url: 'https://192.0.2.7:9443' })).toBe(true);
    expect(isLet()).toBe(false);
  });
});

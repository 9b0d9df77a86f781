import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type NodeMove,
  type NodeStatus,
  nodeHealth,
  nodeMoves,
  nodeSourcesOf,
  nodeTargetsOf,
} from './node-status.js';

function play(moves: readonly NodeMove[]): readonly NodeStatus[] {
  const visited: NodeStatus[] = ['provisioning'];
  for (const move of moves) {
    const [to] = nodeTargetsOf(move);
    if (to && nodeSourcesOf(move).includes(visited.at(-1) ?? 'deleted')) visited.push(to);
  }
  return visited;
}

describe('the states of a node', () => {
  it('never go back: each is entered at most once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...nodeMoves)), (moves) => {
        const visited = play(moves);
        expect(new Set(visited).size).toBe(visited.length);
      }),
    );
  });

  it('reach deleted only through deleting', () => {
    expect(nodeSourcesOf('deleted')).toEqual(['deleting']);
  });
});

const now = new Date('2026-11-21T10:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();

it.each([
  [null, 'stale'],
  [before(0), 'healthy'],
  [before(180), 'healthy'],
  [before(181), 'stale'],
  [before(360), 'stale'],
  [before(361), 'unhealthy'],
] as const)('judges a node whose last heartbeat was %s as %s', (lastHeartbeatAt, health) => {
  expect(nodeHealth(lastHeartbeatAt, now)).toBe(health);
});

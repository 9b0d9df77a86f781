import { expect, it } from 'vitest';
import { nodeHealth } from './node-health.js';

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

import { describe, expect, it } from 'vitest';
import { type NodeInstance, ownInstance } from './instances.js';

const instance = (instanceId: string, overrides: Partial<NodeInstance> = {}): NodeInstance => ({
  instanceId,
  nodeId: 'N',
  state: 'running',
  instanceType: 't4g.large',
  ipAddress: '192.0.2.7',
  launchedAt: new Date('2026-11-21T10:00:00Z'),
  isWarm: false,
  ...overrides,
});
const later = new Date('2026-11-21T10:00:05Z');

describe('of several instances of a node', () => {
  it('its own is the one that was written down', () => {
    const instances = [instance('i-1'), instance('i-2', { launchedAt: later })];

    expect(ownInstance(instances, 'i-1')?.instanceId).toBe('i-1');
  });

  it('its own is the youngest when none was written down: only that one has a token that is worth anything', () => {
    const instances = [instance('i-1'), instance('i-2', { launchedAt: later }), instance('i-3')];

    expect(ownInstance(instances, null)?.instanceId).toBe('i-2');
  });

  it('none is its own that has ended', () => {
    const instances = [instance('i-1', { state: 'terminated' }), instance('i-2', { state: 'shutting-down' })];

    expect(ownInstance(instances, null)).toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import { progressIntervalSeconds } from '../protocol/callbacks.js';
import { nodeBootSeconds, workspaceBeatSeconds } from './limits.js';

it.each([60, 90, 1_800])(
  'lets a node of %s s be silent for less than that, and for more than one beat',
  (ready) => {
    expect(workspaceBeatSeconds(ready)).toBeLessThan(ready);
    expect(workspaceBeatSeconds(ready)).toBeGreaterThan(progressIntervalSeconds);
  },
);

it('gives up on a silent node in two minutes, not thirty', () => {
  expect(workspaceBeatSeconds(1_800)).toBe(120);
});

it.each([10, 60, 900])('leaves a machine of %s s time after it has come up', (ready) => {
  expect(nodeBootSeconds(ready)).toBeLessThan(ready);
});

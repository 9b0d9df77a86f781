import { expect, it } from 'vitest';
import { EvictionReport, endsEvictionDelivery } from './eviction.js';
import { RestartOrRebuildRequest } from './node-api.js';

const first = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const second = '01ARZ3NDEKTSV4RRFFQ69G5FAW';
const report = {
  nodeId: first,
  workspaceId: second,
  reason: 'oom_kill',
  snapshotCaptured: true,
  containerStopped: true,
};

it.each([
  [report, true],
  [{ ...report, evictionGeneration: first, workInFlight: true }, true],
  [{ ...report, cause: { usedBytes: 9, limitBytes: 9, largestProcess: { name: 'node', bytes: 8 } } }, true],
  [{ ...report, cause: { usedBytes: 9, largestProcess: { name: 'a b', bytes: 8 } } }, false],
  [{ ...report, reason: 'disk_pressure' }, false],
  [{ ...report, evictionGeneration: '' }, false],
  [{ ...report, diagnostics: 'text' }, false],
])('checks the eviction report %j', (value, valid) => {
  expect(EvictionReport.safeParse(value).success).toBe(valid);
});

it.each([
  [{}, true],
  [{ expectedEvictionGeneration: null }, true],
  [{ evictionGeneration: second, expectedEvictionGeneration: first }, true],
  [{ evictionGeneration: second, expectedEvictionGeneration: null }, true],
  [{ evictionGeneration: second, expectedEvictionGeneration: '' }, true],
  [{ evictionGeneration: second }, false],
  [{ expectedEvictionGeneration: first }, false],
  [{ evictionGeneration: first, expectedEvictionGeneration: first }, false],
])('checks the generations %j', (value, valid) => {
  expect(RestartOrRebuildRequest.safeParse(value).success).toBe(valid);
});

it.each([
  [200, true],
  [204, true],
  [404, true],
  [410, true],
  [301, false],
  [401, false],
  [409, false],
  [429, false],
  [503, false],
])('decides whether status %i ends the delivery', (status, ends) => {
  expect(endsEvictionDelivery(status)).toBe(ends);
});

import { expect, it } from 'vitest';
import { resourceDiagnostics } from './resource-diagnostics.js';

it('states load, memory and disk of a machine without a problem', () => {
  const metrics = { cpuLoadAvg1: 1.24, memoryPercent: 40, diskPercent: 55.5 };

  expect(resourceDiagnostics(metrics, 2)).toEqual({
    metrics,
    numCpu: 2,
    cpuPerCore: 0.62,
    cpuSaturated: false,
    memExhausted: false,
    diskFull: false,
    message: 'Load 1.2 on 2 processors, 40 % of memory and 55.5 % of the disk used.',
  });
});

it.each([
  [{ cpuLoadAvg1: 4.1 }, { cpuSaturated: true }, 'the processors are saturated'],
  [{ memoryPercent: 90.1 }, { memExhausted: true }, 'memory is nearly exhausted'],
  [{ diskPercent: 99 }, { diskFull: true }, 'the disk is nearly full'],
])('names the problem of %j', (metrics, found, words) => {
  const usual = { cpuLoadAvg1: 0, memoryPercent: 0, diskPercent: 0 };
  const made = resourceDiagnostics({ ...usual, ...metrics }, 2);

  expect(made).toMatchObject(found);
  expect(made.message).toMatch(new RegExp(`: ${words}[.] Use a larger node`));
});

import { expect, it } from 'vitest';
import { BootDiagnostics } from './boot-diagnostics.js';

it('says nothing of a boot that went well', () => {
  expect(new BootDiagnostics({ offsetMs: 0 }).take()).toBeNull();
});

it('tells once what had to be tried again, how often, and how far the clock is off', () => {
  const bootDiagnostics = new BootDiagnostics({ offsetMs: -61_000 }, () => 12_345.6);
  bootDiagnostics.recordFailure('Bootstrap', new Error('first'));
  bootDiagnostics.recordFailure('Bootstrap', new Error('/api/bootstrap answered 503'));
  bootDiagnostics.recordFailure('Ready', 'cut');

  expect(bootDiagnostics.take()).toEqual({
    step: 'node_boot',
    status: 'completed',
    message: 'The node came up with difficulties',
    detail: [
      'Bootstrap: tried again 2 times (/api/bootstrap answered 503)',
      'Ready: tried again 1 times (cut)',
      "The node's clock is 61 s ahead of the control plane's",
    ].join('\n'),
    durationMs: 12_346,
  });
  expect(bootDiagnostics.take()).toBeNull();
});

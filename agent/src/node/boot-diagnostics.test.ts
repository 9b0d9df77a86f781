import { expect, it } from 'vitest';
import { BootDiagnostics } from './boot-diagnostics.js';

it('reports nothing after a boot without failures', () => {
  expect(new BootDiagnostics({ offsetMs: 0 }).take()).toBeNull();
});

it('reports failed attempts and the offset of the clock once', () => {
  const bootDiagnostics = new BootDiagnostics({ offsetMs: -61_000 }, () => 12_345.6);
  bootDiagnostics.recordFailure('Bootstrap', new Error('first'));
  bootDiagnostics.recordFailure('Bootstrap', new Error('/api/bootstrap answered 503'));
  bootDiagnostics.recordFailure('Ready', 'cut');

  expect(bootDiagnostics.take()).toEqual({
    step: 'node_boot',
    status: 'completed',
    message: 'The node started with problems',
    detail: [
      'Bootstrap: 2 failed attempts (last: /api/bootstrap answered 503)',
      'Ready: 1 failed attempt (last: cut)',
      "The node's clock is 61 s ahead of the control plane's clock",
    ].join('\n'),
    durationMs: 12_346,
  });
  expect(bootDiagnostics.take()).toBeNull();
});

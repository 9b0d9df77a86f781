import { expect, it } from 'vitest';
import { LaptopError } from './laptop-error.js';
import { startOptions } from './start-options.js';

it('watches and debugs nothing unless asked to', () => {
  expect(startOptions([])).toEqual({ watch: false, demoAgent: false, debug: [] });
});

it('takes a handler by its path in the repository or in lambdas/', () => {
  const args = ['--watch', '--demo-agent', '--debug', 'lambdas/http/health.ts', '--debug', 'agent'];

  expect(startOptions(args)).toEqual({
    ...{ watch: true, demoAgent: true, debug: ['http/health', 'agent'] },
  });
});

it('refuses an unknown option and shows the usage', () => {
  expect(() => startOptions(['--wacth'])).toThrow(LaptopError);
  expect(() => startOptions(['--wacth'])).toThrow('Usage: npm start');
});

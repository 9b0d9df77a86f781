import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { useOwnTemporaryFolder } from './test/support/own-temporary-folder.js';

useOwnTemporaryFolder();

/**
 * Three rings. Unit tests stand beside their file and start nothing; integration tests use a real emulator,
 * PTYs, git and (where there is one) a Docker engine; end-to-end tests drive the deployed laptop cloud. The attacks of
 * test/adversary run in the ring that has what they need: those in `cloud/` end to end, all others as integration tests.
 */
export default defineConfig({
  test: {
    passWithNoTests: false,
    // Most integration tests wait for a process of theirs: two at a time also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          // Synthesis of the whole deployment takes seconds, and more on a busy machine.
          testTimeout: 60_000,
          include: ['{agent,client,infra,lambdas,local,protocol,scripts,state-machines,web}/**/*.test.ts'],
          sequence: { shuffle: true },
          env: { LOG_LEVEL: 'SILENT', ORIGIN_SECRETS: 'unit'.repeat(8) },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/adversary/*/**/*.test.ts'],
          exclude: ['test/adversary/cloud/**'],
          globalSetup: ['test/support/emulator.setup.ts'],
          env: { LOG_LEVEL: 'SILENT' },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          // Read here, before any ring's own set-up changes it.
          provide: { endpoint: process.env.AWS_ENDPOINT_URL ?? '' },
          include: ['test/e2e/**/*.test.ts', 'test/adversary/cloud/**/*.test.ts'],
          globalSetup: ['test/support/cloud.setup.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});

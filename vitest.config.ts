import { defineConfig } from 'vitest/config';
import { useOwnTemporaryFolder } from './test/support/own-temporary-folder.js';
import { ownReporters } from './test/support/runner/reporters.js';
import { useWaitFactor } from './test/support/runner/wait-factor.js';
import { workers } from './test/support/runner/workers.js';

useOwnTemporaryFolder();
const factor = useWaitFactor();
const setupFiles = ['scaled-waits', 'leftovers', 'failed-test'].map(
  (name) => `test/support/runner/${name}.setup.ts`,
);

const endToEnd = {
  // Read here, before a global setup changes the environment.
  provide: { endpoint: process.env.AWS_ENDPOINT_URL ?? '' },
  globalSetup: ['test/support/cloud.setup.ts'],
  setupFiles,
  testTimeout: 180_000 * factor,
  hookTimeout: 240_000 * factor,
};

/**
 * Six projects. Unit tests are beside their source file and start nothing. Integration tests use
 * a real emulator, PTYs, git and, where one answers, a Docker engine. End-to-end tests call one
 * deployed laptop cloud after all others, as people of their worker (own-account.ts); those in a
 * folder `alone` change the whole cloud, and run last, one at a time. Tests of the project
 * clouds start a cloud each, beside integration tests. The project busy-table repeats tests of
 * the domain on a table that refuses one call in twenty. Of test/adversary, `cloud/` runs end to
 * end, and all other attacks run as integration tests.
 */
export default defineConfig({
  test: {
    passWithNoTests: false,
    reporters: ['default', ...ownReporters()],
    maxWorkers: workers,
    projects: [
      {
        test: {
          name: 'unit',
          // Synthesis of the whole deployment takes seconds, and more on a busy machine.
          testTimeout: 60_000 * factor,
          include: ['{agent,client,infra,lambdas,local,protocol,scripts,state-machines,web}/**/*.test.ts'],
          sequence: { shuffle: true },
          // Each worker loads a module once for all of its files, which saves a third of the time.
          isolate: false,
          env: {
            LOG_LEVEL: 'SILENT',
            ORIGIN_SECRETS: 'unit'.repeat(8),
            TABLE_NAME: 'none',
            AWS_REGION: 'us-east-1',
          },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/adversary/*/**/*.test.ts'],
          exclude: ['test/adversary/cloud/**'],
          globalSetup: ['test/support/emulator.setup.ts'],
          setupFiles,
          env: { LOG_LEVEL: 'SILENT' },
          testTimeout: 120_000 * factor,
          hookTimeout: 240_000 * factor,
        },
      },
      {
        test: {
          name: 'busy-table',
          // Fast files of each area; BUSY_TABLE=all runs those areas whole, in some five minutes.
          include: [
            ...(process.env.BUSY_TABLE === 'all'
              ? ['test/integration/{chats,members,projects,prompts,sign-in,tasks,workspaces}/*.test.ts']
              : [
                  'test/integration/chats/{agent-usage,chat-pages,live-topics,prompt-route}.test.ts',
                  'test/integration/projects/projects.test.ts',
                  'test/integration/prompts/{accept-prompt,wake-ups}.test.ts',
                  'test/integration/sign-in/sign-in.test.ts',
                  'test/integration/tasks/{drafts,run-again}.test.ts',
                  'test/integration/workspaces/{callbacks,co-tenants,deletion-claim,placement,races,sweep}.test.ts',
                ]),
          ],
          globalSetup: ['test/support/emulator.setup.ts'],
          setupFiles: [...setupFiles, 'test/support/busy-table.setup.ts'],
          env: { LOG_LEVEL: 'SILENT' },
          testTimeout: 120_000 * factor,
          hookTimeout: 240_000 * factor,
        },
      },
      {
        test: {
          name: 'clouds',
          provide: { endpoint: process.env.AWS_ENDPOINT_URL ?? '' },
          include: ['test/clouds/**/*.test.ts'],
          setupFiles,
          testTimeout: 180_000 * factor,
          hookTimeout: 240_000 * factor,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/*.test.ts', 'test/adversary/cloud/*.test.ts'],
          // Not beside tests that make Docker networks: Chromium ends its requests at each.
          sequence: { groupOrder: 1 },
          ...endToEnd,
        },
      },
      {
        test: {
          name: 'e2e-alone',
          include: ['test/e2e/alone/*.test.ts', 'test/adversary/cloud/alone/*.test.ts'],
          // Vitest runs such a project after all others.
          fileParallelism: false,
          ...endToEnd,
        },
      },
    ],
  },
});

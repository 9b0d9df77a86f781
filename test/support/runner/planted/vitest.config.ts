import { defineConfig } from 'vitest/config';
import { useOwnTemporaryFolder } from '../../own-temporary-folder.js';
import { ownReporters } from '../reporters.js';

useOwnTemporaryFolder();

/** The rings of the product with one planted file each, PLANTED, for the test of the runner. */
export default defineConfig({
  test: {
    root: process.cwd(),
    reporters: ['default', ...ownReporters()],
    projects: ['unit', 'integration', 'clouds', 'e2e'].map((name) => ({
      test: {
        name,
        include: [`test/support/runner/planted/${process.env.PLANTED}.planted.ts`],
        setupFiles: ['leftovers', 'failed-test'].map((file) => `test/support/runner/${file}.setup.ts`),
        env: { RING: name, BERTH_LEFTOVERS_WITHIN_MS: '100' },
        testTimeout: 1_000,
      },
    })),
  },
});

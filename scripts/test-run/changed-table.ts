/** Files (a pattern) and the tests that depend on them in ways that no import shows. */
export const changedTable: readonly (readonly [RegExp, readonly string[]])[] = [
  // Routes are served, refused, documented and deployed by tables that are made of all of them.
  [
    /^lambdas\/(?:routes|route-row)\.ts$|^lambdas\/http\/.*(?:routes|contract)\.ts$/,
    ['test/integration/edge/', 'test/integration/garbage/', 'scripts/openapi.test.ts', 'infra/'],
  ],
  [/^lambdas\/http\//, ['test/e2e/schemathesis.test.ts']],
  [/^lambdas\/(?:sagas|queues|streams|sweeps)\/|^state-machines\//, ['test/e2e/task.test.ts']],
  [/^state-machines\//, ['state-machines/']],
  // Templates.
  [
    /^infra\/|^cdk\.json$/,
    ['infra/', 'scripts/deployment-context.test.ts', 'test/clouds/function-environments.test.ts'],
  ],
  // Bundles.
  [
    /^agent\/(?!.*\.test\.ts$)/,
    [
      'scripts/build-agent.test.ts',
      'test/integration/agent/life.test.ts',
      'test/integration/agent/standalone.test.ts',
      'test/integration/agent/crash.test.ts',
      'test/e2e/standalone-workspace.test.ts',
    ],
  ],
  [
    /^web\/(?!.*\.test\.tsx?$)/,
    ['scripts/build-web.test.ts', 'test/e2e/console-', 'test/e2e/browser.test.ts'],
  ],
  [/^client\//, ['test/e2e/examples.test.ts']],
  // Programs and files that a test starts or reads by their path.
  [/^local\/emulator\/.*\.py$|^local\/requirements\.txt$/, ['test/integration/local/']],
  [/^local\//, ['test/integration/local/', 'test/clouds/faults.test.ts']],
  [/^examples\//, ['test/e2e/examples.test.ts']],
  [/^ami\//, ['test/integration/baked/']],
  [/^scripts\/[^/]*\.mjs$/, ['test/integration/local/scripts.test.ts']],
  [/^scripts\/test-run\/|^test\/support\/runner\//, ['scripts/test-run/', 'test/integration/runner/']],
  [/^test\/nemesis\//, ['test/integration/nemesis/']],
  [/^test\/support\/acp-harness\//, ['test/integration/harness/']],
  // Docs, and every text.
  [
    /\.md$/,
    [
      'scripts/agent-openapi/pages.test.ts',
      'scripts/asvs-table.test.ts',
      'scripts/instance-types-in-docs.test.ts',
      'scripts/scaling/table.test.ts',
      'test/adversary/revocation/documented-deadlines.test.ts',
    ],
  ],
  [/./, ['scripts/words.test.ts', 'scripts/waits.test.ts']],
];

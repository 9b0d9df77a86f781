import { readFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import type { Keys } from '../../local/access/keys.js';
import { recordSpan } from '../../scripts/test-run/spans.mjs';
import type { Account } from './own-account.js';
import { startSharedCloud } from './shared-cloud.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** AWS_ENDPOINT_URL of the person who runs the tests; empty when there is none. */
    endpoint: string;
    /** The cloud that all end-to-end tests share, with people who are signed in. */
    cloud: {
      readonly url: string;
      readonly endpoint: string;
      readonly keys: Keys;
      readonly tableName: string;
      readonly stateDir: string;
      readonly codeHostUrl: string;
      readonly ec2Url: string;
      /**
       * Where the coding agents live that every node runs: an AcpHarness for `claude-code`, the
       * program `opencode` of real-opencode.ts.
       */
      readonly harnessFolder: string;
      /** The superadmin, and somebody else: for files that run alone, and to be a stranger. */
      readonly octo: Account['cookies'];
      readonly mallory: Account['cookies'];
      /** By the number of the worker. */
      readonly ofWorkers: readonly Account[];
    };
  }
}

export function setup(project: TestProject): Promise<() => Promise<void>> {
  return recordSpan({ ring: project.name, part: 'set-up' }, () => start(project));
}

async function start(project: TestProject): Promise<() => Promise<void>> {
  // The set-up of another project of this run has started it.
  const [started] = project.vitest.projects.flatMap((other) => other.getProvidedContext().cloud ?? []);
  if (started) {
    project.provide('cloud', started);
    return async () => {};
  }
  // `npm run test:e2e -- --keep` names the cloud that stays.
  const kept = process.env.BERTH_KEPT_CLOUD;
  if (kept) {
    project.provide('cloud', JSON.parse(readFileSync(kept, 'utf8')).cloud);
    return async () => {};
  }
  const shared = await startSharedCloud(project.config.provide.endpoint || undefined);
  project.provide('cloud', shared.provided);
  return async () => shared[Symbol.asyncDispose]();
}

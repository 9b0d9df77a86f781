import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Keys } from '../../local/access/keys.js';
import { recordSpan } from '../../scripts/test-run/spans.mjs';
import { AcpHarness } from './acp-harness/acp-harness.js';
import { startCloud } from './cloud.js';
import { reportGrants } from './grants/report-grants.js';
import { Person } from './person.js';

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
      readonly octo: readonly (readonly [string, string])[];
      readonly mallory: readonly (readonly [string, string])[];
    };
  }
}

export function setup(project: TestProject): Promise<() => Promise<void>> {
  return recordSpan({ ring: project.name, part: 'set-up' }, () => start(project));
}

async function start(project: TestProject): Promise<() => Promise<void>> {
  const harnessFolder = mkdtempSync(join(tmpdir(), 'berth-harness-'));
  // As real ones do: a session sleeps and wakes with the home of its workspace.
  const { command } = await AcpHarness.make(harnessFolder, {}, '~/.claude/sessions');
  const callsFile = join(harnessFolder, 'aws-calls.jsonl');
  const started = await startCloud({
    docker: false,
    emulatorEnv: { BERTH_CALLS_FILE: callsFile },
    endpoint: project.config.provide.endpoint || undefined,
    nodeEnv: {
      ACP_COMMAND_OVERRIDES: JSON.stringify({
        'claude-code': command,
        opencode: [join(harnessFolder, 'opencode')],
      }),
    },
  });
  const { cloud, url, stateDir } = started;
  try {
    const [octo, mallory] = await Promise.all(['octo', 'mallory'].map((login) => Person.signIn(url, login)));
    project.provide('cloud', {
      url,
      stateDir,
      endpoint: cloud.endpoint,
      keys: cloud.keys,
      tableName: cloud.outputs.TableName,
      codeHostUrl: cloud.codeHost.url,
      ec2Url: cloud.ec2Url,
      harnessFolder,
      octo: octo?.cookies ?? [],
      mallory: mallory?.cookies ?? [],
    });
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
  return async () => {
    await started[Symbol.asyncDispose]();
    // Without the calls of an emulator that runs elsewhere.
    if (existsSync(callsFile)) reportGrants(callsFile);
    rmSync(harnessFolder, { recursive: true, force: true });
  };
}

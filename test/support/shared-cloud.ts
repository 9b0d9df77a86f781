import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvidedContext } from 'vitest';
import { AcpHarness } from './acp-harness/acp-harness.js';
import { startCloud, type TestCloud } from './cloud.js';
import { reportGrants } from './grants/report-grants.js';
import type { Account } from './own-account.js';
import { Person } from './person.js';
import { loginsOfWorkers } from './shared-people.js';

export interface SharedCloud extends AsyncDisposable {
  /** What its tests know of it. */
  readonly provided: ProvidedContext['cloud'];
}

/** The cloud of all end-to-end tests, with people who are signed in. */
export async function startSharedCloud(endpoint: string | undefined): Promise<SharedCloud> {
  const harnessFolder = mkdtempSync(join(tmpdir(), 'berth-harness-'));
  // As real ones do: a session sleeps and wakes with the home of its workspace.
  const { command } = await AcpHarness.make(harnessFolder, {}, '~/.claude/sessions');
  const callsFile = join(harnessFolder, 'aws-calls.jsonl');
  const started = await startCloud({
    docker: false,
    emulatorEnv: { BERTH_CALLS_FILE: callsFile },
    endpoint,
    nodeEnv: {
      ACP_COMMAND_OVERRIDES: JSON.stringify({
        'claude-code': command,
        opencode: [join(harnessFolder, 'opencode')],
      }),
    },
  });
  try {
    const provided = await signedIn(started, harnessFolder);
    return {
      provided,
      [Symbol.asyncDispose]: async () => {
        await started[Symbol.asyncDispose]();
        // Without the calls of an emulator that runs elsewhere.
        if (existsSync(callsFile)) reportGrants(callsFile);
        rmSync(harnessFolder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
}

async function signedIn(
  { cloud, url, stateDir }: TestCloud,
  harnessFolder: string,
): Promise<ProvidedContext['cloud']> {
  const signIn = async (login: string): Promise<Account> => {
    const { cookies } = await Person.signIn(url, login);
    return { login, cookies };
  };
  const [octo, mallory] = await Promise.all(['octo', 'mallory'].map(signIn));
  return {
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
    ofWorkers: await Promise.all(loginsOfWorkers.map(signIn)),
  };
}

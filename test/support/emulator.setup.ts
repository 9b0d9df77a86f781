import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Keys, openKeys } from '../../local/access/keys.js';
import { Emulator } from '../../local/emulator/emulator.js';
import { freePort } from '../../local/processes/ports.js';
import { RunLedger } from '../../local/processes/run-ledger.js';
import { region } from '../../local/region.js';
import { recordSpan } from '../../scripts/test-run/spans.mjs';
import { laptopPolicy } from './code-host.js';
import { createDataKey, createSigningKey } from './keys.js';
import { createTable } from './table.js';

/** What clients of the SDK sign with; set before any is made. */
const emulatorEnv = ({ accessKeyId, secretAccessKey }: Keys) => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
});

/** The variable that names the emulator which a set-up of this run has started. */
const sharedName = 'BERTH_TEST_EMULATOR';

/**
 * Runs once before all integration tests: an emulator of its own (or the one that AWS_ENDPOINT_URL
 * names), the table and the keys, passed to the workers in the environment that functions have when
 * they are deployed.
 */
export async function setup(project?: TestProject): Promise<() => Promise<void>> {
  return recordSpan(
    { ring: process.env.BERTH_TEST_RING ?? project?.name ?? 'integration', part: 'set-up' },
    start,
  );
}

async function start(): Promise<() => Promise<void>> {
  const stateDir = mkdtempSync(join(tmpdir(), 'berth-test-'));
  // The set-up of another project of this run has started the emulator, whose keys are set.
  const { AWS_ENDPOINT_URL: endpoint, [sharedName]: shared } = process.env;
  const isShared = endpoint !== undefined && endpoint === shared;
  if (!isShared) Object.assign(process.env, emulatorEnv(openKeys(stateDir)));
  const stop = await startEmulator(stateDir);
  try {
    Object.assign(process.env, {
      PUBLIC_URL: 'http://localhost:8787',
      TOKEN_ISSUER: 'https://issuer.example',
      INSTANCE_TYPES: JSON.stringify([{ name: 'test.roomy', vcpu: 64, memoryGb: 256, diskGb: 2_048 }]),
      CPU_OVERCOMMIT: '2',
      ORIGIN_SECRETS: `${'current'.repeat(6)},${'previous'.repeat(5)}`,
      TABLE_NAME: await createTable(),
      SIGNING_KEY_ARNS: await createSigningKey(),
      DATA_KEY_ARN: await createDataKey(),
      ...laptopPolicy,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function startEmulator(stateDir: string): Promise<() => Promise<void>> {
  const remove = () => rmSync(stateDir, { recursive: true, force: true });
  if (process.env.AWS_ENDPOINT_URL) return async () => remove();
  const emulator = await Emulator.start({
    root: process.cwd(),
    stateDir,
    port: await freePort(),
    nodeBin: dirname(process.execPath),
    ledger: new RunLedger(join(stateDir, 'run')),
    waitScale: 0.01,
    env: { BERTH_SIMULATES_TIME: '1' },
  });
  process.env.AWS_ENDPOINT_URL = emulator.endpoint;
  process.env[sharedName] = emulator.endpoint;
  return async () => {
    await emulator[Symbol.asyncDispose]();
    remove();
    delete process.env.AWS_ENDPOINT_URL;
    delete process.env[sharedName];
  };
}

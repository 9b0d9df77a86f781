import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sourceMapsEnvironment } from '../../../infra/constructs/service-function.js';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePort } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { bundleFunctions } from '../../../scripts/lambdas/bundle-functions.js';
import { until } from '../../support/until.js';
import { createFunction, post } from './small-function.js';

const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'berth-source-lines-'));
let emulator: Emulator;

beforeAll(async () => {
  emulator = await Emulator.start({
    root,
    stateDir: join(folder, 'state'),
    port: await freePort(),
    nodeBin: join(root, 'node_modules/node/bin'),
    ledger: new RunLedger(join(folder, 'run')),
  });
});
afterAll(async () => {
  await emulator?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('names the source line of an error in the log of a deployed function', async () => {
  await bundleFunctions(['sagas/run-task/fail-task'], { outdir: folder });
  const bundle = join(folder, 'sagas/run-task/fail-task');
  const files = new Map(readdirSync(bundle).map((name) => [name, readFileSync(join(bundle, name))]));
  await createFunction(emulator, files, {
    environment: { ...sourceMapsEnvironment, TABLE_NAME: 'none', END_RUN_ARN: 'none', LOG_LEVEL: 'INFO' },
  });

  const line = await until('the log names the line', async () => {
    const path = '/2015-03-31/functions/small/invocations';
    const { headers } = await post(emulator, path, {}, { 'x-amz-log-type': 'Tail' });
    const log = Buffer.from(headers.get('x-amz-log-result') ?? '', 'base64').toString();
    return /lambdas\/edge\/step\.ts:(\d+)/.exec(log)?.[1];
  });

  const source = readFileSync(join(root, 'lambdas/edge/step.ts'), 'utf8').split('\n');
  expect(source[Number(line) - 1]).toContain('schema.parse(event)');
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePortRange } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { until } from '../../support/until.js';
import { createFunction, post } from './small-function.js';

const root = process.cwd();

// As `npm start` has it: the state lies in a checkout, and the checkout's package is of ES modules.
describe('an emulator whose state lies in a package of ES modules', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'berth-checkout-'));
  let emulator: Emulator;

  beforeAll(async () => {
    const stateDir = join(checkout, '.berth');
    mkdirSync(stateDir);
    writeFileSync(join(checkout, 'package.json'), '{"type":"module"}');
    emulator = await Emulator.start({
      root,
      stateDir,
      port: await freePortRange(1),
      nodeBin: join(root, 'node_modules/node/bin'),
      ledger: new RunLedger(join(stateDir, 'run')),
    });
  });
  afterAll(async () => {
    await emulator?.[Symbol.asyncDispose]();
    rmSync(checkout, { recursive: true, force: true, maxRetries: 5 });
  });

  it('runs a function', async () => {
    await createFunction(emulator, 'export const handler = async () => "hello";');

    expect(await until('an answer of the function', () => call('small'))).toBe('"hello"');
  });

  it('answers a burst from a few processes, and starts more for calls that do not end', async () => {
    // A call answers once `calls` of them run.
    await createFunction(
      emulator,
      `import { mkdirSync, readdirSync } from 'node:fs';
       import { setTimeout as wait } from 'node:timers/promises';
       export const handler = async ({ folder, calls }, { awsRequestId }) => {
         mkdirSync(folder + '/' + awsRequestId);
         while (readdirSync(folder).length < calls) await wait(20);
         return process.pid;
       };`,
      { name: 'burst' },
    );
    const burst = async (folder: string, calls: number) => {
      mkdirSync(join(checkout, folder));
      const body = { folder: join(checkout, folder), calls };
      return new Set(await Promise.all(Array.from({ length: 16 }, () => call('burst', body))));
    };

    const few = (await burst('independent', 0)).size;
    expect(few).toBeLessThanOrEqual(Math.max(4, cpus().length));
    expect((await burst('waiting for all', 16)).size).toBe(16);
  });

  async function call(name: string, body: unknown = {}): Promise<string | undefined> {
    const invoked = await post(emulator, `/2015-03-31/functions/${name}/invocations`, body);
    return invoked.status === 200 ? invoked.text : undefined;
  }
});

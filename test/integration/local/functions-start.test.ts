import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
    await createFunction(emulator.endpoint, 'export const handler = async () => "hello";');

    const answer = await until('an answer of the function', async () => {
      const invoked = await post(`${emulator.endpoint}/2015-03-31/functions/small/invocations`, {});
      return invoked.status === 200 ? invoked.text : undefined;
    });

    expect(answer).toBe('"hello"');
  });
});

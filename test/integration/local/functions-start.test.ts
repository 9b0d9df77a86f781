import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePortRange } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { until } from '../../support/until.js';

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
    const functions = `${emulator.endpoint}/2015-03-31/functions`;
    const created = await post(functions, {
      FunctionName: 'hello',
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: 'arn:aws:iam::000000000000:role/any',
      Code: { ZipFile: zipped(checkout, 'export const handler = async () => "hello";') },
    });
    expect(created.status, created.text).toBe(201);

    const answer = await until('an answer of the function', async () => {
      const invoked = await post(`${functions}/hello/invocations`, {});
      return invoked.status === 200 ? invoked.text : undefined;
    });

    expect(answer).toBe('"hello"');
  });
});

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

function zipped(folder: string, source: string): string {
  writeFileSync(join(folder, 'index.mjs'), source);
  const archive = ['-m', 'zipfile', '-c', 'function.zip', 'index.mjs'];
  execFileSync(join(root, '.berth/venv/bin/python'), archive, { cwd: folder });
  return readFileSync(join(folder, 'function.zip')).toString('base64');
}

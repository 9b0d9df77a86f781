import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePortRange } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { processesByCommand } from '../../support/processes-by-command.js';
import { until } from '../../support/until.js';
import { createFunction, post } from './small-function.js';

const places = 6;
const root = process.cwd();

// A machine with little memory has few places for the processes of more than 200 functions.
describe(`an emulator with ${places} places for processes of functions`, () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'berth-places-'));
  let emulator: Emulator;

  beforeAll(async () => {
    emulator = await Emulator.start({
      root,
      stateDir,
      port: await freePortRange(1),
      nodeBin: join(root, 'node_modules/node/bin'),
      ledger: new RunLedger(join(stateDir, 'run')),
      env: { BERTH_FUNCTION_PROCESSES: String(places) },
    });
  });
  afterAll(() => emulator?.[Symbol.asyncDispose]());

  const call = async (name: string, body: unknown = {}): Promise<string> => {
    const { text } = await post(emulator, `/2015-03-31/functions/${name}/invocations`, body);
    return text;
  };
  const running = () => processesByCommand(join(stateDir, 'emulator/tmp/ministack-lambda-')).length;
  /** Processes above them end within moments. */
  const untilFew = () =>
    until(`no more than ${places} processes`, async () => running() <= places || undefined);

  it('ends the process that has been idle longest for a function without one', async () => {
    const names = Array.from({ length: places + 4 }, (_, index) => `one-${index}`);
    for (const name of names)
      await createFunction(emulator, 'export const handler = async () => process.pid;', { name });
    const pids = new Map<string, string>();
    for (const name of names) pids.set(name, await call(name));

    await untilFew();
    // The last ones are still warm, and the first one starts again.
    for (const name of names.slice(-places)) expect(await call(name)).toBe(pids.get(name));
    expect(await call('one-0')).not.toBe(pids.get('one-0'));
    await untilFew();
  });

  it('lets calls of different functions wait until a process comes free', async () => {
    const names = Array.from({ length: places * 3 }, (_, index) => `slow-${index}`);
    for (const name of names)
      await createFunction(
        emulator,
        `import { setTimeout as wait } from 'node:timers/promises';
         export const handler = async () => { await wait(200); return 'slow'; };`,
        { name },
      );
    let most = 0;
    const counted = setInterval(() => {
      most = Math.max(most, running());
    }, 20);

    const answers = await Promise.all(names.map((name) => call(name)));
    clearInterval(counted);

    expect(answers).toEqual(names.map(() => '"slow"'));
    // One that is asked to end may live for a moment beside the one that takes its place.
    expect(most).toBeLessThanOrEqual(places * 2);
  });

  it('starts one more for calls that wait for each other, and ends it after them', async () => {
    const calls = places + 1;
    const folder = join(stateDir, 'met');
    mkdirSync(folder);
    await createFunction(
      emulator,
      `import { mkdirSync, readdirSync } from 'node:fs';
       import { setTimeout as wait } from 'node:timers/promises';
       export const handler = async ({ folder, calls }, { awsRequestId }) => {
         mkdirSync(folder + '/' + awsRequestId);
         while (readdirSync(folder).length < calls) await wait(20);
         return 'met';
       };`,
      { name: 'meets' },
    );

    const answers = await Promise.all(Array.from({ length: calls }, () => call('meets', { folder, calls })));

    expect(answers).toEqual(answers.map(() => '"met"'));
    await untilFew();
  });
});

import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { openKeys } from '../../local/access/keys.js';
import { DeployedCopy } from '../../local/deployment/deployed-copy.js';
import { Deployment } from '../../local/deployment/deployment.js';
import { Emulator } from '../../local/emulator/emulator.js';
import { type LaptopPorts, portsFrom } from '../../local/laptop-ports.js';
import { freePortRange } from '../../local/processes/ports.js';
import { RunLedger } from '../../local/processes/run-ledger.js';
import { Progress } from '../../local/progress.js';
import { describeDeployment } from '../support/describe-deployment.js';

const root = process.cwd();
const nodeBin = join(root, 'node_modules/node/bin');
const isReported = !inject('endpoint');
if (!isReported) console.warn('Copies of a deployment are not compared: it takes an emulator of its own.');

it.skipIf(!isReported)(
  'copies a deployment whole, with other addresses, secrets and keys',
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'berth-copy-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const stateDir = join(folder, 'copy');
    const ports = portsFrom(await freePortRange(4));
    const copy = new DeployedCopy({
      ...{ root, stateDir, ports, nodeBin, context: {} },
      path: `${nodeBin}:${process.env.PATH}`,
      building: Promise.resolve(),
      progress: new Progress(() => undefined),
    });
    const deployed = await copy.deployed();
    await copy.fill(new Deployment({ root, stateDir, env: {}, context: {}, hash: 'any' }));
    const original = join(folder, 'original');
    cpSync(join(deployed, 'emulator'), join(original, 'emulator'), { recursive: true });
    const former: LaptopPorts = JSON.parse(readFileSync(join(deployed, 'ports.json'), 'utf8'));

    const [before, after] = await Promise.all([described(original, former), described(stateDir, ports)]);

    expect(before.resources.length).toBeGreaterThan(500);
    expect(after.resources).toEqual(before.resources);
    expect(after.functions).toEqual(before.functions);
    expect(Object.keys(after.functions).length).toBeGreaterThan(200);
    expect({ ...after, secrets: {}, publicKeys: {} }).toEqual({ ...before, secrets: {}, publicKeys: {} });
    for (const kind of ['secrets', 'publicKeys'] as const) {
      expect(Object.keys(after[kind])).toEqual(Object.keys(before[kind]));
      expect(Object.keys(after[kind]).length).toBeGreaterThan(0);
      for (const [name, value] of Object.entries(after[kind]))
        expect(value, name).not.toBe(before[kind][name]);
    }
  },
  480_000,
);

async function described(stateDir: string, ports: LaptopPorts) {
  const ledger = new RunLedger(join(stateDir, 'run'));
  await using emulator = await Emulator.start({ root, stateDir, port: ports.emulator, nodeBin, ledger });
  expect(emulator.state).toBe('kept');
  return await describeDeployment({ endpoint: emulator.endpoint, keys: openKeys(stateDir) }, ports);
}

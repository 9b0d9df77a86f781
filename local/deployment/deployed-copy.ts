import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { built } from '../../scripts/builds/built.js';
import { ContentStore } from '../../scripts/builds/content-store.js';
import { sourcesOfDeployment } from '../../scripts/builds/parts.js';
import { openKeys } from '../access/keys.js';
import { awsEnv } from '../aws.js';
import { Emulator } from '../emulator/emulator.js';
import { type LaptopPorts, portsFrom } from '../laptop-ports.js';
import { privateFolder } from '../private-folder.js';
import { freePortRange } from '../processes/ports.js';
import { RunLedger } from '../processes/run-ledger.js';
import type { Progress } from '../progress.js';
import { Deployment } from './deployment.js';
import { laptopContext } from './laptop-context.js';
import { type StateFiles, withFreshKeys, withFreshSecrets, withPorts } from './own-state.js';
import { hashSources } from './source-hash.js';

interface DeployedCopyOptions {
  readonly root: string;
  readonly stateDir: string;
  readonly ports: LaptopPorts;
  /** Beside that of every laptop cloud. */
  readonly context: Readonly<Record<string, string>>;
  readonly nodeBin: string;
  /** The path of tools. */
  readonly path: string;
  readonly building: Promise<void>;
  readonly progress: Progress;
}

const endpointOf = ({ emulator }: LaptopPorts): string => `http://127.0.0.1:${emulator}`;

/**
 * Fills a state folder with a deployment that nobody has used. All are deployed once for each
 * content of the sources: a copy has other ports, secrets and keys.
 */
export class DeployedCopy {
  constructor(private readonly options: DeployedCopyOptions) {}

  /** The folder of the deployment that all copies are made from. */
  deployed(): Promise<string> {
    const store = new ContentStore(join(this.options.root, '.cache/builds/deployed'));
    return store.keep(
      () => this.key(),
      (folder) => this.deploy(folder),
    );
  }

  /** Until its end, the state folder counts as one without a deployment. */
  async fill(deployment: Deployment): Promise<void> {
    const { stateDir, progress } = this.options;
    const deployed = await this.deployed();
    await progress.step('Copy of the deployment', async () => {
      const folder = join(stateDir, 'emulator');
      deployment.begin();
      rmSync(folder, { recursive: true, force: true });
      privateFolder(folder);
      cpSync(join(deployed, 'emulator'), folder, { recursive: true });
      const former: LaptopPorts = JSON.parse(readFileSync(join(deployed, 'ports.json'), 'utf8'));
      changeFiles(join(folder, 'state'), (files) =>
        withFreshKeys(withFreshSecrets(withPorts(files, former, this.options.ports))),
      );
      deployment.adopt(readFileSync(join(deployed, 'outputs.json'), 'utf8'));
    });
  }

  /** The ports do not decide it: each copy has its own. */
  private key(): string {
    const { root, context } = this.options;
    const ports = portsFrom(0);
    const whole = { ...laptopContext(ports, endpointOf(ports)), ...context };
    const sources = [...sourcesOfDeployment, 'local/deployment', 'local/emulator', 'local/requirements.txt'];
    return hashSources(root, sources, [JSON.stringify(whole)]);
  }

  private async deploy(folder: string): Promise<void> {
    const { root, stateDir, nodeBin, path, context, building, progress } = this.options;
    const ports = portsFrom(await freePortRange(4));
    const endpoint = endpointOf(ports);
    const ledger = new RunLedger(join(folder, 'run'));
    // The logs stay when the folder is removed after a failure.
    const logs = join(stateDir, 'logs');
    {
      const { emulator: port } = ports;
      await using _emulator = await Emulator.start({ root, stateDir: folder, logs, port, nodeBin, ledger });
      const env = awsEnv({ endpoint, keys: openKeys(folder) }, path);
      const whole = { ...laptopContext(ports, endpoint), ...context };
      const deployment = new Deployment({ root, stateDir: folder, logs, env, context: whole, hash: '' });
      await progress.step('cdk bootstrap', () => deployment.bootstrap());
      await building;
      // The key of the deployment names its sources: what was built of others must not get into it.
      await built('lambdas');
      await progress.step('cdk deploy', () => deployment.deploy());
    }
    writeFileSync(join(folder, 'ports.json'), JSON.stringify(ports));
    for (const name of ['run', 'cdk.out', 'keys.json', 'emulator/tmp'])
      rmSync(join(folder, name), { recursive: true, force: true });
    if (Emulator.stateIn(folder) !== 'kept') throw new Error('The emulator did not save what was deployed');
  }
}

function changeFiles(folder: string, change: (files: StateFiles) => StateFiles): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const files = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  for (const [name, text] of change(files)) writeFileSync(join(folder, name), text);
}

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPeople } from '../../local/code-host/directory.js';
import { LaptopCloud, type LaptopCloudOptions } from '../../local/laptop-cloud.js';
import { portsFrom } from '../../local/laptop-ports.js';
import { chooseRole } from '../../local/node-role.js';
import { freePortRange } from '../../local/processes/ports.js';
import { Progress } from '../../local/progress.js';
import { fuzzer, loginsOfWorkers } from './shared-people.js';

interface CloudOptions {
  readonly docker: boolean;
  readonly isBuilt?: boolean;
  /**
   * An emulator of the person's own; the deployment on it then has a name of its own, as others may
   * be there.
   */
  readonly endpoint?: string | undefined;
  readonly context?: Readonly<Record<string, string>>;
  readonly nodeEnv?: Readonly<Record<string, string>>;
  readonly emulatorEnv?: Readonly<Record<string, string>>;
  /** Of the waits of state machines; short, unless what they take is measured. */
  readonly waitScale?: number;
  /** Kept when the cloud ends: for a test that starts another on it. */
  readonly stateDir?: string;
  readonly ports?: LaptopCloudOptions['ports'];
}

export interface TestCloud extends AsyncDisposable {
  readonly cloud: LaptopCloud;
  readonly url: string;
  readonly stateDir: string;
}

// To all clouds, as those of one context are copies of one deployment.
addPeople([...loginsOfWorkers, fuzzer]);

/** Short enough for a test to see them pass, long enough for a busy machine. */
const limits = { nodeReadyTimeoutSeconds: '45', workspaceReadyTimeoutSeconds: '90' };

/** A whole laptop cloud of its own, on free ports and in a folder of its own. */
export async function startCloud(options: CloudOptions): Promise<TestCloud> {
  const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), 'berth-e2e-'));
  const deploymentId = `e2e-${randomBytes(4).toString('hex')}`;
  const lines: string[] = [];
  const cloud = await LaptopCloud.start({
    root: process.cwd(),
    stateDir,
    ports: options.ports ?? portsFrom(await freePortRange(4)),
    role: await chooseRole({
      role: options.docker ? 'workspace' : 'standalone',
      image: options.docker ? process.env.BERTH_WORKSPACE_IMAGE : undefined,
    }),
    progress: new Progress((line) => lines.push(line)),
    endpoint: options.endpoint,
    isBuilt: options.isBuilt ?? false,
    context: { ...limits, ...(options.endpoint ? { deploymentId } : {}), ...options.context },
    nodeEnv: { HEARTBEAT_INTERVAL: '2s', ...options.nodeEnv },
    emulatorEnv: options.emulatorEnv ?? {},
    waitScale: options.waitScale ?? 0.2,
  }).catch((error: unknown) => {
    throw new Error(`The laptop cloud did not start:\n${lines.join('\n')}`, { cause: error });
  });
  return {
    cloud,
    stateDir,
    url: cloud.publicUrl,
    [Symbol.asyncDispose]: async () => {
      for (const record of cloud.instances.list()) cloud.instances.terminate(record);
      await cloud[Symbol.asyncDispose]();
      if (options.stateDir === undefined) rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmulatorAccess, type Keys, keysFile, openKeys } from '../access/keys.js';
import { callAws } from '../access/signature.js';
import { LaptopError } from '../laptop-error.js';
import { privateFolder } from '../private-folder.js';
import { Child } from '../processes/child.js';
import type { RunLedger } from '../processes/run-ledger.js';

interface EmulatorOptions {
  readonly root: string;
  readonly stateDir: string;
  /** Folder of its log, if that is not in the state folder. */
  readonly logs?: string;
  readonly port: number;
  /** Folder of the Node that runs the functions. */
  readonly nodeBin: string;
  readonly ledger: RunLedger;
  /** Shortens the waits of state machines, for tests. */
  readonly waitScale?: number;
  /** Its pages read and upload objects by presigned addresses. */
  readonly consoleOrigin?: string;
  /** False: what was saved is of a deployment that never came to its end, and of no use. */
  readonly isWhole?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * `lost`: there was some, of an emulator that was killed or of a deployment that was broken off.
 */
export type EmulatorState = 'new' | 'kept' | 'lost';

const readyTimeoutMs = 60_000;
const saveTimeoutMs = 20_000;

/**
 * The AWS emulator as a child process. It saves its state only on an orderly end, which includes
 * the death of this process, and then writes a marker. Without the marker the saved state is
 * outdated: it is deleted, `state` is `lost`, and everything is deployed again.
 */
export class Emulator implements AsyncDisposable {
  private constructor(
    private readonly access: EmulatorAccess,
    readonly state: EmulatorState,
    private readonly child: Child,
  ) {}

  /** The state that the next start finds. */
  static stateIn(stateDir: string, isWhole = true): EmulatorState {
    const folder = join(stateDir, 'emulator');
    if (isWhole && existsSync(join(folder, 'saved'))) return 'kept';
    return existsSync(folder) && readdirSync(folder).length > 0 ? 'lost' : 'new';
  }

  static async start(options: EmulatorOptions): Promise<Emulator> {
    const folder = join(options.stateDir, 'emulator');
    const state = Emulator.stateIn(options.stateDir, options.isWhole);
    if (state === 'lost') rmSync(folder, { recursive: true, force: true });
    // Keys, secrets and sessions lie in there, in files that the emulator leaves readable.
    privateFolder(folder);
    for (const name of ['state', 's3', 'tmp']) mkdirSync(join(folder, name), { recursive: true });
    // The emulator writes its workers there as CommonJS, whatever a package.json further up says.
    writeFileSync(join(folder, 'tmp/package.json'), '{"type":"commonjs"}\n');
    rmSync(join(folder, 'saved'), { force: true });
    // The state folder is not empty from here on, so a kill before the first save counts as one.
    const endpoint = `http://127.0.0.1:${options.port}`;
    const emulator = new Emulator(
      { endpoint, keys: openKeys(options.stateDir) },
      state,
      launch(options, folder),
    );
    try {
      await emulator.untilReady();
    } catch (error) {
      await emulator.child.stop(1_000);
      throw error;
    }
    return emulator;
  }

  /** Resolves when the emulator ends without having been asked. */
  get ended(): Promise<unknown> {
    return this.child.exited;
  }

  get endpoint(): string {
    return this.access.endpoint;
  }

  get keys(): Keys {
    return this.access.keys;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Closes its input and does no more, as the death of this process would. */
  letGo(): void {
    this.child.letGo();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.child.running) return;
    await this.child.stop(saveTimeoutMs);
  }

  private async untilReady(): Promise<void> {
    const deadline = Date.now() + readyTimeoutMs;
    while (Date.now() < deadline) {
      if (!this.child.running)
        throw new LaptopError(
          'The AWS emulator ended at its start. Its log is logs/emulator.log in the state folder.',
        );
      if (await isHealthy(this.access)) return;
      await delay(100);
    }
    throw new LaptopError(
      `The AWS emulator did not answer within ${readyTimeoutMs / 1000} s. Its log is logs/emulator.log in the state folder.`,
    );
  }
}

async function isHealthy(access: EmulatorAccess): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  try {
    const path = '/_ministack/health';
    const { ok } = await callAws(access, { service: 's3', method: 'GET', path, signal });
    return ok;
  } catch {
    return false;
  }
}

function launch(options: EmulatorOptions, folder: string): Child {
  const { root, stateDir, logs = join(stateDir, 'logs'), port, nodeBin, ledger } = options;
  const { consoleOrigin, waitScale, env } = options;
  return Child.start({
    name: 'emulator',
    command: join(root, '.berth/venv/bin/python'),
    args: [join(root, 'local/emulator/supervise.py')],
    cwd: folder,
    logFile: join(logs, 'emulator.log'),
    ledger,
    env: {
      // Nothing of the person's own environment: no AWS profile, proxy or endpoint may leak into
      // the functions.
      HOME: process.env.HOME,
      LANG: process.env.LANG ?? 'C.UTF-8',
      PATH: `${nodeBin}:${process.env.PATH}`,
      TMPDIR: join(folder, 'tmp'),
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      BERTH_KEYS_FILE: keysFile(stateDir),
      ...(consoleOrigin === undefined ? {} : { BERTH_CONSOLE_ORIGIN: consoleOrigin }),
      BERTH_SAVED_MARKER: join(folder, 'saved'),
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      IOT_MTLS_ENABLED: '0',
      LAMBDA_EXECUTOR: 'local',
      LAMBDA_KEEPALIVE_MS: '600000',
      PERSIST_STATE: '1',
      STATE_DIR: join(folder, 'state'),
      S3_PERSIST: '1',
      S3_DATA_DIR: join(folder, 's3'),
      AWS_DEFAULT_REGION: 'us-east-1',
      // The emulator looks for a Docker engine to run what it does not run itself; nothing here
      // needs that.
      DOCKER_HOST: `unix://${join(folder, 'no-docker.sock')}`,
      ...(waitScale === undefined ? {} : { SFN_WAIT_SCALE: String(waitScale) }),
      ...env,
    },
  });
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootEnv } from '../../protocol/boot.js';
import type { ServerCertificate } from '../certificate-authority.js';
import { Child } from '../processes/child.js';
import type { RunLedger } from '../processes/run-ledger.js';
import type { NodeContainers } from './node-containers.js';

export interface MachineSettings {
  readonly folder: string;
  readonly logFile: string;
  readonly nodeId: string;
  readonly port: number;
  readonly command: string;
  readonly args: readonly string[];
  /** Role, default image and whatever else is the same for all nodes of this laptop. */
  readonly nodeEnv: Readonly<Record<string, string>>;
  readonly path: string;
  readonly ledger: RunLedger;
  readonly containers: NodeContainers;
}

const restartDelayMs = 1_000;
const stopGraceMs = 15_000;
/** Exit code of an agent whose bootstrap was refused permanently: the unit does not restart it. */
const finalExitCode = 1;

/**
 * One powered-on machine: the agent as its systemd unit would run it (environment file, own state,
 * restarted when it dies), and its containers.
 */
export class Machine {
  private child: Child | undefined;
  private poweredOn = false;
  private supervision: Promise<void> = Promise.resolve();
  private wake: (() => void) | undefined;

  constructor(private readonly settings: MachineSettings) {}

  /** Writes what the first boot of an instance writes; a later boot leaves it. */
  install(certificate: ServerCertificate, bootEnv: BootEnv | undefined): void {
    const { folder } = this.settings;
    for (const name of ['state', 'workspaces', 'home'])
      mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    if (bootEnv) this.setBootEnv(bootEnv);
    writeFileSync(this.file('tls.key'), certificate.keyPem, { mode: 0o600 });
    // The last file: without it the first boot was not done.
    writeFileSync(this.file('tls.pem'), certificate.certificatePem);
  }

  /** Writes the environment of the agent's unit. A machine without it runs no agent. */
  setBootEnv(bootEnv: BootEnv): void {
    const lines = Object.entries(bootEnv).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(this.file('node.env'), lines.join(''), { mode: 0o600 });
  }

  /** Resolves when the agent's process has started. The agent reports ready on its own. */
  async powerOn(bootEnv: Readonly<Record<string, string>>): Promise<void> {
    if (this.poweredOn) return;
    this.poweredOn = true;
    await this.settings.containers.start(this.settings.nodeId);
    this.supervision = this.supervise(bootEnv);
  }

  /** Ends the agent, then its containers. */
  async powerOff(): Promise<void> {
    if (!this.poweredOn) return;
    this.poweredOn = false;
    this.wake?.();
    await this.child?.stop(stopGraceMs);
    await this.supervision;
    await this.settings.containers.stop(this.settings.nodeId);
  }

  /** The disk and everything on it. */
  async destroy(): Promise<void> {
    await this.powerOff();
    await this.settings.containers.remove(this.settings.nodeId);
    rmSync(this.settings.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Ends the agent; its supervision starts it again, with the program that is there by then. */
  async restartAgent(): Promise<boolean> {
    if (!this.child?.running) return false;
    await this.child.stop(stopGraceMs);
    this.wake?.();
    return true;
  }

  get agentPid(): number | undefined {
    return this.child?.running ? this.child.pid : undefined;
  }

  private async supervise(bootEnv: Readonly<Record<string, string>>): Promise<void> {
    while (this.poweredOn) {
      const began = Date.now();
      this.child = this.launch(bootEnv);
      const { code } = await this.child.exited;
      if (code === finalExitCode && Date.now() - began < 60_000) await this.pause(10 * restartDelayMs);
      else await this.pause(restartDelayMs);
    }
  }

  private pause(ms: number): Promise<void> {
    if (!this.poweredOn) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private launch(bootEnv: Readonly<Record<string, string>>): Child {
    const { folder, nodeEnv, path, port, command, args, ledger, logFile, nodeId } = this.settings;
    return Child.start({
      name: `agent-${nodeId}`,
      command,
      args,
      cwd: folder,
      ledger,
      logFile,
      env: {
        PATH: path,
        HOME: join(folder, 'home'),
        LANG: process.env.LANG ?? 'C.UTF-8',
        SHELL: '/bin/bash',
        // As the unit of the node image has it.
        MALLOC_ARENA_MAX: '1',
        NODE_OPTIONS: '--max-semi-space-size=2',
        ...nodeEnv,
        ...bootEnv,
        VM_AGENT_HOST: '127.0.0.1',
        VM_AGENT_PORT: String(port),
        VM_AGENT_STATE_DIR: this.file('state'),
        WORKSPACE_BASE_DIR: this.file('workspaces'),
        CALLBACK_TOKEN_FILE: this.file('state/callback-token'),
        TLS_CERT_PATH: this.file('tls.pem'),
        TLS_KEY_PATH: this.file('tls.key'),
        SVC_EXIT_WITH_PARENT: '1',
      },
    });
  }

  private file(name: string): string {
    return join(this.settings.folder, name);
  }
}

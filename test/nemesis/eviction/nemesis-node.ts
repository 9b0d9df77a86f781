import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../../local/processes/ports.js';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { baseImage, engineGateway } from '../../integration/agent/docker-engine.js';
import { EngineDoor } from './engine-door.js';
import type { EvictionPlane } from './eviction-plane.js';

const preload = new URL('dying-agent.mjs', import.meta.url).href;
const diskMegabytes = 256;
const keptBlocks = 16;
const pressures = { none: '0.00', critical: '90.00' } as const;
/** Shorter than the defaults, so that a round takes seconds. */
const hurried = {
  DEFAULT_PSI_POLL_INTERVAL_SECONDS: '1',
  DEFAULT_EVICTION_DEBOUNCE_SECONDS: '1',
  DEFAULT_EVICTION_DOCKER_STOP_TIMEOUT_SECONDS: '1',
  DEFAULT_EVICTION_SNAPSHOT_TIMEOUT_SECONDS: '20',
};
type PressureLevel = keyof typeof pressures;

/** One node: a real agent with its own view of the kernel, the engine and the disk. */
export class NemesisNode implements AsyncDisposable {
  readonly agent: AgentProcess;
  /** Times that the agent has ended and was started again. */
  ends = 0;
  /** Orders to the agent, on a disk that the run does not fill. */
  private readonly control = mkdtempSync(join(tmpdir(), 'nemesis-'));
  private pressure: PressureLevel = 'none';
  private held: PressureLevel | null = null;
  private isKept = true;
  private keeping: Promise<void> = Promise.resolve();

  readonly nodeId: string;
  readonly door: EngineDoor;

  private constructor(
    private readonly parts: {
      readonly nodeId: string;
      readonly port: number;
      readonly doorPath: string;
      readonly door: EngineDoor;
      /** Of its own: a build during the run must not change the agent. */
      readonly bundle: string;
    },
    plane: Pick<EvictionPlane, 'fake'>,
    settings: Readonly<Record<string, string>>,
  ) {
    const { nodeId, port, door, bundle } = parts;
    this.nodeId = nodeId;
    this.door = door;
    this.agent = new AgentProcess(
      plane.fake,
      {
        NODE_ID: nodeId,
        NODE_ROLE: 'workspace',
        VM_AGENT_PORT: String(port),
        DEFAULT_DEVCONTAINER_IMAGE: baseImage,
        WORKSPACE_LOOPBACK_ALIAS: engineGateway(),
        ...hurried,
        ...settings,
      },
      () => [process.execPath, bundle],
    );
  }

  static async start(
    nodeId: string,
    ...[plane, bundle, settings = {}]: [
      plane: Pick<EvictionPlane, 'fake'>,
      bundle: string,
      settings?: Readonly<Record<string, string>>,
    ]
  ): Promise<NemesisNode> {
    const doorPath = join(mkdtempSync(join(tmpdir(), 'engine-')), 'engine.sock');
    const door = await EngineDoor.open(doorPath);
    const node = new NemesisNode({ nodeId, port: await freePort(), doorPath, door, bundle }, plane, settings);
    const { folder } = node.agent;
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', folder]);
    node.setPressure('none');
    await node.startAgent();
    node.keeping = node.keepRunning();
    return node;
  }

  /** As a row of the table names it. */
  get place() {
    return { host: '127.0.0.1', port: this.parts.port, certificatePem: this.agent.certificate() };
  }

  /** The kernel says so from now on, unless a fault holds another level. */
  setPressure(level: PressureLevel): void {
    this.pressure = level;
    this.writePressure();
  }

  /** Null: no more. */
  holdPressure(level: PressureLevel | null): void {
    this.held = level;
    this.writePressure();
  }

  get isPressed(): boolean {
    return this.pressure === 'critical';
  }

  /** The agent is killed at this commit from now on, before or after it. */
  dieAtCommit(number: number, moment: 'before' | 'after'): void {
    writeFileSync(join(this.control, 'die'), `${number} ${moment}`);
  }

  live(): void {
    rmSync(join(this.control, 'die'), { force: true });
  }

  fillDisk(): void {
    const { bavail, bsize } = statfsSync(this.agent.folder);
    spawnSync('fallocate', ['-l', String((bavail - keptBlocks) * bsize), join(this.agent.folder, 'filler')]);
  }

  freeDisk(): void {
    rmSync(join(this.agent.folder, 'filler'), { force: true });
  }

  /** Reports that wait for their next attempt are due: else they wait for at least a minute. */
  hurryReports(): void {
    const database = new DatabaseSync(join(this.agent.folder, 'state', 'state.db'));
    try {
      database.exec('PRAGMA busy_timeout = 2000; UPDATE eviction_deliveries SET next_attempt_at = 0;');
    } catch (error) {
      // The next call does it.
      if (!String(error).includes('database or disk is full')) throw error;
    } finally {
      database.close();
    }
  }

  /** What its store says of a workspace. */
  stored(workspaceId: string) {
    const database = new DatabaseSync(join(this.agent.folder, 'state', 'state.db'), { readOnly: true });
    try {
      const workspace = database
        .prepare('SELECT status, evicted FROM workspaces WHERE workspace_id = ?')
        .get(workspaceId);
      const reports = database
        .prepare('SELECT container_stopped FROM eviction_deliveries WHERE workspace_id = ?')
        .all(workspaceId);
      return { status: workspace?.status, isFenced: workspace?.evicted === 1, reports: reports.length };
    } finally {
      database.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isKept = false;
    await this.keeping;
    await this.agent[Symbol.asyncDispose]();
    await this.door[Symbol.asyncDispose]();
    spawnSync('umount', [this.agent.folder]);
  }

  private writePressure(): void {
    const avg = pressures[this.held ?? this.pressure];
    const line = (kind: string) => `${kind} avg10=${avg} avg60=0.00 avg300=0.00 total=1\n`;
    const path = join(this.control, 'pressure');
    writeFileSync(`${path}.new`, `${line('some')}${line('full')}`);
    renameSync(`${path}.new`, path);
  }

  private async startAgent(): Promise<void> {
    await this.agent.start({
      DOCKER_HOST: `unix://${this.parts.doorPath}`,
      NEMESIS_FOLDER: this.control,
      NODE_OPTIONS: `--max-semi-space-size=2 --import ${preload}`,
    });
  }

  /** As the init system of a node does. */
  private async keepRunning(): Promise<void> {
    while (this.isKept) {
      if (this.agent.exitCode !== null) {
        this.ends += 1;
        await this.startAgent();
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

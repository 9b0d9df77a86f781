import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootEnv } from '../../protocol/boot.js';
import type { CertificateAuthority } from '../certificate-authority.js';
import { freePort, isPortFree } from '../processes/ports.js';
import { InstanceRecord, type InstanceState, type NewInstance, newRecord } from './instance-record.js';
import { Machine, type MachineSettings } from './machine.js';
import { refusalOf, refusedLaunchesFile } from './refused-launches.js';
import { parseEnvFile } from './user-data.js';

interface InstancesOptions {
  readonly folder: string;
  readonly logFolder: string;
  readonly authority: CertificateAuthority;
  readonly machine: Pick<MachineSettings, 'command' | 'args' | 'nodeEnv' | 'path' | 'ledger' | 'containers'>;
  readonly report: (line: string) => void;
}

interface LaunchRequest extends NewInstance {
  /** Undefined: it boots no agent before it gets one. */
  readonly bootEnv: BootEnv | undefined;
}

/** EC2 forgets a terminated instance after about an hour. */
const terminatedForMs = 60 * 60 * 1000;

/** While a file of this name is in the folder, machines get power but boot nothing. */
export const bootsNothingFile = 'boots-nothing';

export class ClientTokenReused extends Error {}

export class LaunchRefused extends Error {
  constructor(readonly code: string) {
    super(`${refusedLaunchesFile} lists this launch with ${code}`);
  }
}

/**
 * The instances of this laptop. Each has a record on disk and, while its power is on, a machine
 * that runs its agent.
 */
export class Instances implements AsyncDisposable {
  private readonly records = new Map<string, InstanceRecord>();
  private readonly machines = new Map<string, Machine>();
  /** One transition of an instance at a time; the next waits for it. */
  private readonly settling = new Map<string, Promise<void>>();

  constructor(private readonly options: InstancesOptions) {
    mkdirSync(options.folder, { recursive: true });
    for (const file of readdirSync(options.folder).filter((name) => /^i-.*\.json$/.test(name))) {
      const record = InstanceRecord.parse(JSON.parse(readFileSync(join(options.folder, file), 'utf8')));
      this.records.set(record.instanceId, record);
    }
  }

  /**
   * Powers on what was on when the laptop cloud ended, and finishes what it was ending. @returns
   * how many came back
   */
  async restore(): Promise<number> {
    const all = [...this.records.values()];
    const running = all.filter(({ state }) => state === 'running' || state === 'pending');
    await Promise.all(running.map((record) => this.powerOn(record)));
    for (const record of all) {
      if (record.state === 'stopping') this.settle(record, () => this.finishStop(record));
      if (record.state === 'shutting-down') this.settle(record, () => this.finishTerminate(record));
    }
    return running.length;
  }

  list(): InstanceRecord[] {
    const now = Date.now();
    return [...this.records.values()].filter(
      ({ terminatedAt }) => terminatedAt === null || now - Date.parse(terminatedAt) < terminatedForMs,
    );
  }

  get(instanceId: string): InstanceRecord | undefined {
    return this.list().find((record) => record.instanceId === instanceId);
  }

  ofNode(nodeId: string): InstanceRecord | undefined {
    return this.list().find((record) => record.nodeId === nodeId);
  }

  /** Repeating a client token returns the instance that it made, also when that is gone by now. */
  async launch(request: LaunchRequest): Promise<InstanceRecord> {
    const known = [...this.records.values()].find(({ clientToken }) => clientToken === request.clientToken);
    if (known) {
      if (known.nodeId !== request.nodeId) throw new ClientTokenReused(request.clientToken);
      return known;
    }
    this.requireRoom(request);
    const record = newRecord(request);
    // In the map before the first await: of two launches with one token the second must find it.
    this.records.set(record.instanceId, record);
    this.settle(record, () => this.boot(record, request.bootEnv));
    return record;
  }

  setBootEnv(record: InstanceRecord, bootEnv: BootEnv): void {
    this.machine(record).setBootEnv(bootEnv);
  }

  /** Returns at once, like the EC2 API. The instance passes its transitional states later. */
  terminate(record: InstanceRecord, reason = 'User initiated'): void {
    if (record.state === 'terminated' || record.state === 'shutting-down') return;
    this.save(record, 'shutting-down', reason);
    this.settle(record, () => this.finishTerminate(record));
  }

  stop(record: InstanceRecord): void {
    if (record.state !== 'running' && record.state !== 'pending') return;
    this.save(record, 'stopping', 'User initiated');
    this.settle(record, () => this.finishStop(record));
  }

  start(record: InstanceRecord): void {
    if (record.state !== 'stopped') return;
    this.requireRoom(record);
    this.save(record, 'pending', '');
    this.settle(record, () => this.powerOn(record));
  }

  reboot(record: InstanceRecord): void {
    const machine = this.machines.get(record.instanceId);
    if (record.state !== 'running' || !machine) return;
    this.settle(record, async () => {
      await machine.powerOff();
      await this.powerOn(record);
    });
  }

  tag(record: InstanceRecord, tags: readonly (readonly [string, string])[]): void {
    for (const [key, value] of tags) record.tags[key] = value;
    this.save(record, record.state, record.stateReason);
  }

  agentPid(instanceId: string): number | undefined {
    return this.machines.get(instanceId)?.agentPid;
  }

  /** Restarts the agent of every machine that runs one. @returns how many */
  async restartAgents(): Promise<number> {
    const restarted = await Promise.all([...this.machines.values()].map((machine) => machine.restartAgent()));
    return restarted.filter(Boolean).length;
  }

  /** Powers all machines off. Their records keep the last state. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.settling.values());
    await Promise.allSettled([...this.machines.values()].map((machine) => machine.powerOff()));
  }

  private async boot(record: InstanceRecord, bootEnv: BootEnv | undefined): Promise<void> {
    record.port = await freePort();
    const certificate = await this.options.authority.issue([`${record.nodeId.toLowerCase()}.localhost`]);
    // Terminated while it was made ready: there is nothing to boot any more.
    if (record.state !== 'pending') return;
    this.save(record, 'pending', '');
    this.machine(record).install(certificate, bootEnv);
    await this.powerOn(record);
    this.options.report(
      `Node ${record.nodeId} booted (instance ${record.instanceId}, https://127.0.0.1:${record.port})`,
    );
  }

  private async powerOn(record: InstanceRecord): Promise<void> {
    if (!existsSync(join(this.folder(record), 'tls.pem'))) {
      this.terminate(record, 'Server.InternalError: killed before its first boot was done');
      return;
    }
    await this.keepReachable(record);
    const envFile = join(this.folder(record), 'node.env');
    if (existsSync(envFile) && !existsSync(join(this.options.folder, bootsNothingFile)))
      await this.machine(record).powerOn(parseEnvFile(readFileSync(envFile, 'utf8')));
    if (record.state === 'pending') this.save(record, 'running', '');
  }

  /** Picks a new port when another program holds the old one. The ready report carries it. */
  private async keepReachable(record: InstanceRecord): Promise<void> {
    if (await isPortFree(record.port)) return;
    record.port = await freePort();
    this.save(record, record.state, record.stateReason);
    this.machines.delete(record.instanceId);
  }

  private async finishStop(record: InstanceRecord): Promise<void> {
    await this.machine(record).powerOff();
    if (record.state === 'stopping') this.save(record, 'stopped', record.stateReason);
  }

  private async finishTerminate(record: InstanceRecord): Promise<void> {
    await this.machine(record).destroy();
    this.machines.delete(record.instanceId);
    record.terminatedAt = new Date().toISOString();
    this.save(record, 'terminated', record.stateReason);
    this.options.report(`Node ${record.nodeId} is gone (instance ${record.instanceId} terminated)`);
  }

  private requireRoom(place: Pick<InstanceRecord, 'subnetId' | 'instanceType'>): void {
    const refusal = refusalOf(this.options.folder, place);
    if (refusal) throw new LaunchRefused(refusal);
  }

  private machine(record: InstanceRecord): Machine {
    const existing = this.machines.get(record.instanceId);
    if (existing) return existing;
    const machine = new Machine({
      ...this.options.machine,
      nodeId: record.nodeId,
      port: record.port,
      folder: this.folder(record),
      logFile: join(this.options.logFolder, `agent-${record.nodeId}.log`),
    });
    this.machines.set(record.instanceId, machine);
    return machine;
  }

  private settle(record: InstanceRecord, work: () => Promise<void>): void {
    const before = this.settling.get(record.instanceId) ?? Promise.resolve();
    const settled = before
      .then(work)
      .catch((error: unknown) => this.options.report(`EC2 stand-in: ${String(error)}`));
    this.settling.set(record.instanceId, settled);
  }

  private save(record: InstanceRecord, state: InstanceState, reason: string): void {
    record.state = state;
    record.stateReason = reason;
    const file = join(this.options.folder, `${record.instanceId}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(record, null, 2));
    renameSync(`${file}.new`, file);
  }

  private folder(record: InstanceRecord): string {
    return join(this.options.folder, record.instanceId);
  }
}

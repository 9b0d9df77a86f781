// biome-ignore-all lint/style/noExcessiveLinesPerFile: one subsystem whose methods share its state
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isBuilt } from '../scripts/builds/built.js';
import { sourcesOfDeployment } from '../scripts/builds/parts.js';
import { type Keys, keysFile, openKeys } from './access/keys.js';
import { Aws, awsEnv } from './aws.js';
import { CertificateAuthority } from './certificate-authority.js';
import { CodeHost } from './code-host/code-host.js';
import { DeployedCopy } from './deployment/deployed-copy.js';
import { Deployment } from './deployment/deployment.js';
import { Functions } from './deployment/functions.js';
import { ec2Url, laptopContext, publicUrl } from './deployment/laptop-context.js';
import type { Outputs } from './deployment/outputs.js';
import { readOriginSecret } from './deployment/read-origin-secret.js';
import { hashSources } from './deployment/source-hash.js';
import { uploadFolder } from './deployment/upload-folder.js';
import { type Ec2Call, Ec2Server } from './ec2/ec2-server.js';
import { Instances } from './ec2/instances.js';
import { Emulator, type EmulatorState } from './emulator/emulator.js';
import { Front } from './front/front.js';
import { Objects } from './front/objects.js';
import { keepPorts, type LaptopPorts } from './laptop-ports.js';
import type { NodeRole } from './node-role.js';
import { RunLedger } from './processes/run-ledger.js';
import type { Progress } from './progress.js';
import { runCommand } from './run-command.js';
import { openEmulator, servesAnybody, stateElsewhere } from './state-elsewhere.js';
import { untilHealthy } from './until-healthy.js';
import { debugFunction } from './watch/debug-function.js';
import { ReplacedFunctions } from './watch/replaced-functions.js';
import { watchSources } from './watch/watch-sources.js';
import { workspaceFinder } from './workspace-finder.js';

export interface LaptopCloudOptions {
  readonly root: string;
  readonly stateDir: string;
  readonly ports: LaptopPorts;
  readonly role: NodeRole;
  readonly progress: Progress;
  /** An emulator that somebody else runs; without it one is started here. */
  readonly endpoint?: string | undefined;
  /** The build is there already, as in a test run that made it once for all its clouds. */
  readonly isBuilt?: boolean;
  readonly context?: Readonly<Record<string, string>>;
  readonly nodeEnv?: Readonly<Record<string, string>>;
  readonly emulatorEnv?: Readonly<Record<string, string>>;
  readonly waitScale?: number;
}

/**
 * The whole cloud on this machine. Starting it leaves it usable; disposing of it ends every
 * process, in order.
 */
export class LaptopCloud implements AsyncDisposable {
  private readonly stack = new AsyncDisposableStack();
  readonly ledger: RunLedger;
  readonly publicUrl: string;
  readonly keys: Keys;
  private startedEmulator: Emulator | undefined;
  private startedInstances: Instances | undefined;
  private startedCodeHost: CodeHost | undefined;
  private deployed: Outputs | undefined;
  private deployment: Deployment | undefined;
  private deployedFunctions: Functions | undefined;
  private publishConsole: () => Promise<void> = async () => undefined;
  private readonly replaced: ReplacedFunctions;

  private constructor(private readonly options: LaptopCloudOptions) {
    this.ledger = new RunLedger(join(options.stateDir, 'run'));
    this.publicUrl = publicUrl(options.ports);
    this.keys = openKeys(options.stateDir);
    this.replaced = new ReplacedFunctions(options.stateDir);
  }

  static async start(options: LaptopCloudOptions): Promise<LaptopCloud> {
    mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
    const cloud = new LaptopCloud(options);
    try {
      await cloud.run();
      return cloud;
    } catch (error) {
      await cloud.stack.disposeAsync();
      throw error;
    }
  }

  get instances(): Instances {
    return started(this.startedInstances);
  }
  get codeHost(): CodeHost {
    return started(this.startedCodeHost);
  }
  get outputs(): Outputs {
    return started(this.deployed);
  }
  get emulator(): Emulator | undefined {
    return this.startedEmulator;
  }
  get endpoint(): string {
    return this.options.endpoint ?? `http://127.0.0.1:${this.options.ports.emulator}`;
  }

  get keysFile(): string {
    return keysFile(this.options.stateDir);
  }

  get ec2Url(): string {
    return ec2Url(this.options.ports);
  }

  /** Resolves when the cloud can no longer work, because its emulator ended. */
  get failed(): Promise<unknown> {
    return this.startedEmulator?.ended ?? new Promise(() => undefined);
  }

  /** Redeploys what changes in the sources, until the cloud ends. */
  watch(): void {
    this.stack.use(
      watchSources({
        root: this.options.root,
        bundles: join(this.options.stateDir, 'watched'),
        functions: this.functions,
        restartAgents: () => this.instances.restartAgents(),
        uploadConsole: this.publishConsole,
        willReplace: (name) => {
          this.replaced.add(name);
          this.deployment?.markReplaced();
        },
        report: (line) => this.options.progress.note(line),
      }),
    );
  }

  /** Opens Node's inspector in a function, until the next start. */
  async debug(name: string): Promise<void> {
    const { stateDir } = this.options;
    await debugFunction({ stateDir, functions: this.functions, replaced: this.replaced }, name);
    this.deployment?.markReplaced();
  }

  private get functions(): Functions {
    this.deployedFunctions ??= new Functions(this);
    return this.deployedFunctions;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }

  private async run(): Promise<void> {
    const { progress, root, stateDir, ports } = this.options;
    const orphans = await this.ledger.endOrphans();
    if (orphans.length > 0)
      progress.note(
        `Stopped ${orphans.length} processes of an earlier run that was killed: ${orphans.join(', ')}`,
      );
    const hash = hashSources(root, sourcesOfDeployment, [JSON.stringify(this.context()), this.endpoint]);
    const deployment = new Deployment({ root, stateDir, hash, context: this.context(), env: this.toolEnv() });
    this.deployment = deployment;
    const building =
      this.options.isBuilt || isBuilt()
        ? Promise.resolve()
        : progress.step('Functions, agent and console built', () => this.build());
    // Handles a rejection when the emulator fails first and nothing awaits the build.
    building.catch(() => undefined);
    const aws = this.stack.use(new Aws(this));
    const state = await this.startEmulator(deployment, building, aws);
    if (state === 'lost')
      progress.note(
        'The last run ended before it saved its state, so its data is lost: everything is deployed again',
      );
    await progress.step('Code host', () => this.startCodeHost());
    // An emulator elsewhere may have lost what was deployed there.
    const isThere = state === 'kept' || this.options.endpoint === undefined;
    const outputs =
      (isThere ? deployment.current() : undefined) ?? (await this.deploy(deployment, state, building));
    this.deployed = outputs;
    keepPorts(stateDir, ports);
    await building;
    await this.restoreReplaced(state);
    await deployment.registerCodeHost(aws.secrets, outputs, this.codeHost.credentials);
    this.publishConsole = () => this.uploadConsole(aws, outputs);
    await this.publishConsole();
    await this.startNodesAndFront(aws, outputs, state);
    await progress.step('Front address', () => untilHealthy(`http://127.0.0.1:${ports.front}/health`));
  }

  /** The emulator writes the other calls into the same file. */
  private recordCall(call: Ec2Call): void {
    const file = this.options.emulatorEnv?.BERTH_CALLS_FILE;
    if (file) appendFileSync(file, `${JSON.stringify(call)}\n`);
  }

  /** A deployment leaves functions that were replaced since the last one as they are. */
  private async restoreReplaced(state: EmulatorState): Promise<void> {
    if (state === 'kept')
      await this.replaced.restore(this.functions, join(this.options.root, 'dist/lambdas'));
    else this.replaced.forget();
  }

  /** Gives the state that it found: a state that is not kept is filled with a deployment first. */
  private async startEmulator(
    deployment: Deployment,
    building: Promise<void>,
    aws: Aws,
  ): Promise<EmulatorState> {
    const { root, stateDir, ports, progress, endpoint, emulatorEnv = {}, waitScale } = this.options;
    if (endpoint !== undefined)
      return progress.step('AWS emulator', () => this.findElsewhere(endpoint, aws, deployment.last()));
    const state = Emulator.stateIn(stateDir, deployment.last() !== undefined);
    if (state !== 'kept') await this.copyDeployed(deployment, building);
    this.startedEmulator = await progress.step('AWS emulator', () =>
      Emulator.start({
        root,
        stateDir,
        port: ports.emulator,
        nodeBin: this.nodeBin,
        ledger: this.ledger,
        consoleOrigin: this.publicUrl,
        env: emulatorEnv,
        ...(waitScale === undefined ? {} : { waitScale }),
      }),
    );
    this.stack.use(this.startedEmulator);
    return state;
  }

  private async findElsewhere(endpoint: string, aws: Aws, last: Outputs | undefined): Promise<EmulatorState> {
    const state = await stateElsewhere(aws, last);
    if (await servesAnybody(endpoint)) this.options.progress.note(openEmulator);
    return state;
  }

  private async copyDeployed(deployment: Deployment, building: Promise<void>): Promise<void> {
    const { root, stateDir, ports, context = {}, progress } = this.options;
    const { nodeBin, toolPath: path } = this;
    const copy = new DeployedCopy({ root, stateDir, ports, context, nodeBin, path, building, progress });
    await copy.fill(deployment);
  }

  private async startCodeHost(): Promise<void> {
    const { stateDir, ports, role } = this.options;
    const codeHost = new CodeHost({
      folder: join(stateDir, 'code-host'),
      port: ports.codeHost,
      publicUrl: this.publicUrl,
      gateway: role.gateway,
    });
    await codeHost.start();
    this.startedCodeHost = this.stack.use(codeHost);
  }

  private async deploy(
    deployment: Deployment,
    state: EmulatorState,
    building: Promise<void>,
  ): Promise<Outputs> {
    const { progress } = this.options;
    if (state !== 'kept') await progress.step('cdk bootstrap', () => deployment.bootstrap());
    await building;
    return progress.step('cdk deploy', () => deployment.deploy());
  }

  private async uploadConsole(aws: Aws, { ConsoleBucket }: Outputs): Promise<void> {
    const folder = join(this.options.root, 'dist/web');
    if (existsSync(folder)) await uploadFolder(aws.s3, ConsoleBucket, folder);
  }

  private async startNodesAndFront(aws: Aws, outputs: Outputs, state: EmulatorState): Promise<void> {
    const { stateDir, ports, role, progress } = this.options;
    const authority = await CertificateAuthority.open(join(stateDir, 'authority'));
    const instances = new Instances({
      folder: join(stateDir, 'ec2'),
      logFolder: join(stateDir, 'logs'),
      authority,
      machine: { ...this.agentCommand(), ledger: this.ledger, containers: role.containers },
      report: (line) => progress.note(line),
    });
    this.startedInstances = this.stack.use(instances);
    const originSecret = await readOriginSecret(aws.secrets, outputs);
    const front = new Front({
      port: ports.front,
      emulatorPort: Number(new URL(this.endpoint).port),
      httpApiId: outputs.HttpApiId,
      webSocketApiId: outputs.WebSocketApiId,
      originSecret,
      frontSecret: this.keys.frontSecret,
      objects: new Objects(aws.s3, { console: outputs.ConsoleBucket, artifacts: outputs.ArtifactsBucket }),
      nodePort: workspaceFinder(aws.dynamo, outputs.TableName, instances),
      nodeAuthority: authority.certificatePem,
      gateway: role.gateway,
    });
    await front.start();
    this.stack.use(front);
    const ec2 = new Ec2Server(instances, this, (call) => this.recordCall(call));
    await ec2.listen(ports.ec2);
    this.stack.defer(() => ec2.close());
    // Nodes of a state that is lost are known to nobody any more.
    if (state === 'lost' || state === 'new')
      for (const record of instances.list()) instances.terminate(record, 'The state of the cloud was lost');
    else await this.restoreNodes(instances);
  }

  private async restoreNodes(instances: Instances): Promise<void> {
    const count = await instances.restore();
    if (count > 0) this.options.progress.note(`Restarted ${count === 1 ? 'one node' : `${count} nodes`}`);
  }

  private agentCommand() {
    const { root, role, nodeEnv } = this.options;
    return {
      command: join(this.nodeBin, 'node'),
      args: [join(root, 'dist/agent/main.js')],
      path: `${this.nodeBin}${delimiter}${process.env.PATH ?? ''}`,
      // People come to workspaces by the front, which speaks HTTP.
      nodeEnv: { ...role.env, WORKSPACE_URL_SCHEME: 'http', ...nodeEnv },
    };
  }

  private build(): Promise<void> {
    const { root, stateDir } = this.options;
    return runCommand({
      node: join(this.nodeBin, 'node'),
      args: ['--import', 'tsx', 'scripts/build.ts'],
      cwd: root,
      env: this.toolEnv(),
      logFile: join(stateDir, 'logs/build.log'),
      title: 'The build',
    });
  }

  private toolEnv(): NodeJS.ProcessEnv {
    return awsEnv(this, this.toolPath);
  }

  private get toolPath(): string {
    const bin = join(this.options.root, 'node_modules/.bin');
    return [this.nodeBin, bin, process.env.PATH ?? ''].join(delimiter);
  }

  private get nodeBin(): string {
    return join(this.options.root, 'node_modules/node/bin');
  }

  private context(): Record<string, string> {
    const { ports, context } = this.options;
    return { ...laptopContext(ports, this.endpoint), ...context };
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The laptop cloud has not come that far');
  return part;
}

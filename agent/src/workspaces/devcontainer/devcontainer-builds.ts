import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { type AllowedHosts, registryObstacle } from '../../sandbox/engine/engine-hosts.js';
import { type ContainerPlan, limitsOf, workDirOf } from '../container/container-settings.js';
import type { DockerEngine } from '../container/docker-engine.js';
import { dockerName, labelsOf } from '../container/docker-names.js';
import { noServices, type Services } from '../container/service-plan.js';
import type { ProvisionContext } from '../runtime.js';
import type { Workspace } from '../workspace.js';
import type { BuildArtifacts } from './build-artifacts.js';
import { buildImage } from './build-image.js';
import { BuildFailed } from './build-output.js';
import { openBuildPlace } from './build-place.js';
import type { BuildKitNode } from './buildkit-node.js';
import { type ComposePlace, readCompose } from './compose/read-compose.js';
import { Configuration, MergedConfiguration } from './configuration.js';
import type { CliRun, DevcontainerCli } from './devcontainer-cli.js';
import { writeDockerCommand } from './features-image.js';
import { unmetRequirements } from './host-requirements.js';
import { planContainer } from './plan-container.js';
import { readPorts } from './read-ports.js';
import { checkJson, plainIfThere } from './repository-files.js';
import { safeConfiguration } from './safe-configuration.js';
import { swapFiles } from './swap-files.js';

interface BuildOptions {
  /** A copy of the repository on this machine that no other process changes. */
  readonly repository: string;
  /** Path of devcontainer.json, relative to the repository. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Receives the output as it arrives. */
  readonly onOutput: (text: string) => void;
  readonly report: ProvisionContext['report'];
}

interface Built {
  readonly plan: ContainerPlan;
  /** Settings of the repository that were not applied. */
  readonly notes: readonly string[];
}

/** Builds images from dev container configurations, and runs their commands in containers. */
export class DevcontainerBuilds {
  constructor(
    private readonly options: {
      readonly nodeId: string;
      readonly allowedHosts: AllowedHosts;
    },
    private readonly deps: {
      readonly cli: DevcontainerCli;
      readonly engine: DockerEngine;
      readonly artifacts: BuildArtifacts;
      readonly buildKit: BuildKitNode;
      readonly freeDiskBytes: () => Promise<number>;
    },
  ) {}

  /**
   * Builds the image and plans its container. Restores the repository's copy afterwards.
   * @throws BuildFailed
   */
  async build(workspace: Workspace, options: BuildOptions): Promise<Built> {
    await checkJson(options.repository, options.path);
    const missing = await this.deps.cli.missing();
    if (missing) throw new BuildFailed(`This node lacks ${missing}`);
    await this.deps.cli.deps.sandbox.own(options.repository);
    const run = await this.startRun(workspace, { ...options, containerId: null });
    try {
      const { workspaceId, labels } = run;
      const limits = limitsOf(workspace.settings.reservation, await this.deps.engine.size());
      await using place = await openBuildPlace(this.deps.engine, { workspaceId, labels, limits });
      return await this.buildIn(workspace, options, { ...run, place });
    } finally {
      await this.deps.artifacts.removeWorkFiles(workspace.workspaceId);
    }
  }

  /**
   * Runs the commands of the dev container: those for new containers once, those for each start
   * each time.
   * @throws BuildFailed when a command failed
   */
  async runCommands(
    workspace: Workspace,
    options: Pick<BuildOptions, 'signal' | 'onOutput'> & { readonly workDir: string },
  ): Promise<void> {
    const { workspaceId } = workspace;
    const container = await this.deps.engine.inspect(dockerName(workspaceId));
    if (!container) throw new BuildFailed('The container no longer exists');
    const run = await this.startRun(workspace, { ...options, repository: null, containerId: container.Id });
    try {
      const folder = join(run.folder, 'no-repository');
      const override = join(run.folder, 'devcontainer.json');
      await mkdir(folder);
      // The commands are in the image's label; this file gives the place.
      const place = { workspaceFolder: options.workDir, workspaceMount: mountOf(workspace) };
      await writeFile(override, JSON.stringify({ image: 'none', ...place }));
      const args = [
        '--container-id',
        container.Id,
        '--workspace-folder',
        folder,
        '--override-config',
        override,
      ];
      await this.deps.cli.run(['run-user-commands', ...args, ...dataFolder(run)], run);
    } finally {
      await this.deps.artifacts.removeWorkFiles(workspaceId);
    }
  }

  private async startRun(
    { workspaceId, generation }: Workspace,
    options: Pick<BuildOptions, 'signal' | 'onOutput'> & Pick<CliRun, 'repository' | 'containerId'>,
  ): Promise<CliRun> {
    const { signal, onOutput, repository, containerId } = options;
    const { folder, engineFolder } = await this.deps.artifacts.prepare(workspaceId);
    return {
      workspaceId,
      folder,
      engineFolder,
      repository,
      writable: [],
      labels: labelsOf({ workspaceId, nodeId: this.options.nodeId, generation }),
      containerId,
      buildKit: null,
      place: null,
      signal,
      onOutput: (chunk) => {
        const text = chunk.toString('utf8');
        this.deps.artifacts.trace(workspaceId, text);
        onOutput(text);
      },
    };
  }

  private async buildIn(workspace: Workspace, options: BuildOptions, run: CliRun): Promise<Built> {
    const { workspaceId } = workspace;
    const { repository, path } = options;
    const where = ['--workspace-folder', repository, '--config', join(repository, path), ...dataFolder(run)];
    const read = async (...more: string[]) =>
      this.deps.cli.run(['read-configuration', ...where, ...more], run);
    const found = parse(Configuration, (await read()).configuration);
    const requirementNotes = await this.reportRequirements(workspace, found, options);
    const compose = await composeOf(found, { workspaceId, repository, path });
    await this.checkRegistries(compose.services);
    const requested = compose.configuration;
    const image = `${this.deps.artifacts.imageName(workspaceId)}:${Date.now()}`;
    // A name that cannot exist in the repository.
    const imageFolder = join(dirname(path), `.svc-image-${randomUUID()}`);
    const safe = await safeConfiguration(requested, {
      repository,
      path,
      workDir: workDirOf(workspace),
      volume: dockerName(workspaceId),
      imageFolder,
      buildOptions: buildFlags(run),
      cacheFrom: workspace.settings.devcontainerCache?.ref ?? null,
    });
    await using _swapped = await swapFiles(repository, {
      ...safe.files,
      [path]: JSON.stringify(safe.configuration),
      [join(imageFolder, 'Dockerfile')]: `FROM ${requested.image ?? 'scratch'}\n`,
    });
    await this.deps.cli.deps.sandbox.own(join(repository, imageFolder));
    const lock = await lockFile(repository, path);
    // A lock file pins features. Without one, the tool must not create one.
    const locking = lock ? [] : ['--no-lockfile'];
    const build = ['build', ...where, ...(await dockerCommand(run)), '--image-name', image, ...locking];
    await buildImage(this.deps, build, { ...run, writable: lock ? [lock] : [] });
    // A label that no container has: an existing container may have another configuration.
    const merged = await read('--include-merged-configuration', '--id-label', `svc.build=${workspaceId}`);
    const { ports, notes: portNotes } = readPorts(found, compose.services.hosts);
    const [plan, notes] = planContainer(parse(MergedConfiguration, merged.mergedConfiguration), {
      image,
      inspected: await this.deps.engine.images.inspect(image),
      workDir: workDirOf(workspace),
      volumePrefix: dockerName(workspaceId),
      command: compose.command,
      services: compose.services,
      ports,
    });
    return { plan, notes: [...compose.notes, ...safe.notes, ...notes, ...portNotes, ...requirementNotes] };
  }

  /** The engine pulls images of services outside of the build. */
  private async checkRegistries({ plans }: Services): Promise<void> {
    for (const { name, image } of plans) {
      const obstacle = await registryObstacle(image, this.options.allowedHosts);
      if (obstacle !== null) throw new BuildFailed(`Service ${name}: ${obstacle}`);
    }
  }

  /** Recommendations of the repository. The build goes on without them. */
  private async reportRequirements(
    { settings }: Workspace,
    { hostRequirements }: Configuration,
    { report }: BuildOptions,
  ): Promise<readonly string[]> {
    const node = await this.deps.engine.size();
    const limits = limitsOf(settings.reservation, node);
    const { unmet, notes } = unmetRequirements(hostRequirements, {
      node,
      workspace: { processors: limits.NanoCpus / 1e9, memoryBytes: limits.Memory },
      freeDiskBytes: await this.deps.freeDiskBytes(),
    });
    for (const message of unmet) report({ step: 'devcontainer_requirements', status: 'completed', message });
    return notes;
  }
}

function buildFlags({ labels }: CliRun): string[] {
  return ['--force-rm', ...Object.entries(labels).map(([name, value]) => `--label=${name}=${value}`)];
}

async function dockerCommand({ folder, workspaceId }: CliRun): Promise<string[]> {
  return ['--buildkit', 'never', '--docker-path', await writeDockerCommand(folder, workspaceId)];
}

async function composeOf(configuration: Configuration, place: Omit<ComposePlace, 'volumePrefix'>) {
  if (configuration.dockerComposeFile === undefined)
    return { configuration, command: null, services: noServices, notes: [] };
  return readCompose(configuration, { ...place, volumePrefix: dockerName(place.workspaceId) });
}

async function lockFile(repository: string, path: string): Promise<string | null> {
  const name = basename(path).startsWith('.') ? '.devcontainer-lock.json' : 'devcontainer-lock.json';
  const folder = join(repository, dirname(path));
  return (await plainIfThere(folder, name)) ? join(folder, name) : null;
}

function dataFolder(run: CliRun): string[] {
  return ['--user-data-folder', join(run.folder, 'data')];
}

function mountOf(workspace: Workspace): string {
  return `type=volume,source=${dockerName(workspace.workspaceId)},target=${dirname(workDirOf(workspace))}`;
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = z.safeParse(schema, value ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BuildFailed(`devcontainer.json is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
}

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { redactText } from '../../shared/redact.js';
import type { BuildArtifacts } from '../devcontainer/build-artifacts.js';
import type { BuildCache } from '../devcontainer/build-cache.js';
import { BuildFailed, BuildOutputReport, readable } from '../devcontainer/build-output.js';
import type { DevcontainerBuilds } from '../devcontainer/devcontainer-builds.js';
import { imageUser } from '../devcontainer/image-user.js';
import { findConfiguration } from '../devcontainer/repository-files.js';
import type { ProvisionContext } from '../runtime.js';
import type { Workspace } from '../workspace.js';
import type { ContainerLifecycle } from './container-lifecycle.js';
import { type ContainerOrigin, type ContainerPlan, plainPlan, workDirOf } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { dockerName, workspacesMount } from './docker-names.js';
import type { CopiedFolder } from './read-volume.js';

/** File in the workspace that explains why the repository's own image was not used. */
const errorLog = '.devcontainer-build-error.log';

interface ProvisionSource extends CopiedFolder {
  /** Whether that copy becomes the files of the workspace. */
  readonly isNew: boolean;
}

interface ContainerProvisionerDeps {
  readonly engine: DockerEngine;
  readonly lifecycle: ContainerLifecycle;
  readonly builds: DevcontainerBuilds;
  readonly artifacts: BuildArtifacts;
  readonly cache: BuildCache;
}

/**
 * Creates containers: from the repository's dev container, or from the default image when there is
 * none or it cannot be built.
 */
export class ContainerProvisioner {
  constructor(
    private readonly options: { readonly defaultImage: string },
    private readonly deps: ContainerProvisionerDeps,
  ) {}

  /** Replaces the existing container and removes the images that were built for it. */
  async create(
    workspace: Workspace,
    options: ProvisionSource,
    context: ProvisionContext,
  ): Promise<ContainerOrigin> {
    const own = options.refusal ?? (await this.createOwn(workspace, options, context));
    if (own instanceof Error) return this.createFallback(workspace, options, { context, failure: own });
    if (own === null) {
      await this.start(workspace, plainPlan(this.image(workspace), 'default'), { options, context });
      await this.deps.artifacts.removeImages(workspace.workspaceId, null);
      return 'default';
    }
    await this.deps.artifacts.removeImages(workspace.workspaceId, own.image);
    await this.deps.engine.run(dockerName(workspace.workspaceId), ['rm', '-f', errorLogPath], '0');
    await this.runCommands(workspace, own.workDir ?? workDirOf(workspace), context);
    this.deps.cache.begin(workspace, own.image, context);
    return 'own';
  }

  /**
   * Runs the repository's commands for this start. A failed command is reported and does not fail
   * the workspace.
   */
  async runCommands(workspace: Workspace, workDir: string, context: ProvisionContext): Promise<void> {
    const { signal, step } = context;
    await using report = new BuildOutputReport(context, 'Output of the commands');
    const onOutput = (text: string) => report.add(text);
    try {
      await step('devcontainer_commands', 'Running dev container commands', () =>
        this.deps.builds.runCommands(workspace, { signal, onOutput, workDir }),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof BuildFailed)) throw error;
    }
    await this.deps.lifecycle.reportExited(workspace.workspaceId, context);
  }

  private async createOwn(
    workspace: Workspace,
    options: ProvisionSource,
    context: ProvisionContext,
  ): Promise<ContainerPlan | Error | null> {
    if (options.repository === null || workspace.settings.lightweight) return null;
    try {
      const plan = await this.buildOwn(workspace, options.repository, context);
      if (plan) await this.start(workspace, plan, { options, context });
      return plan;
    } catch (error) {
      context.signal.throwIfAborted();
      // An unavailable engine is no fault of the repository.
      if (await this.deps.engine.isUnavailable(error, context.signal)) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Null when the repository has no dev container. */
  private async buildOwn(
    workspace: Workspace,
    repository: string,
    context: ProvisionContext,
  ): Promise<ContainerPlan | null> {
    const path = await findConfiguration(repository, workspace.settings.devcontainerConfigName ?? null);
    if (path === null) return null;
    const { signal, step, report } = context;
    await this.deps.cache.fetch(workspace, context);
    await using output = new BuildOutputReport(context, 'Build output');
    const onOutput = (text: string) => output.add(text);
    const { plan, notes } = await step('devcontainer_build', `Building ${path}`, () =>
      this.deps.builds.build(workspace, { repository, path, signal, onOutput, report }),
    );
    if (notes.length > 0) {
      const message = 'Some dev container settings were not applied';
      report({ step: 'devcontainer_notes', status: 'completed', message, detail: notes.join('\n') });
    }
    return plan;
  }

  private async createFallback(
    workspace: Workspace,
    options: ProvisionSource,
    { context, failure }: { readonly context: ProvisionContext; readonly failure: Error },
  ): Promise<ContainerOrigin> {
    const { workspaceId } = workspace;
    const detail = failure instanceof BuildFailed ? failure.detail : failure.message;
    context.fallback(failure.message);
    context.report({
      step: 'devcontainer_fallback',
      status: 'failed',
      message: `The dev container could not be built. Using the default image. See ${errorLogPath}`,
      detail,
    });
    const plan = plainPlan(this.image(workspace), 'fallback');
    await this.start(workspace, plan, { options, context });
    await this.deps.artifacts.removeImages(workspaceId, null);
    await this.writeErrorLog(workspaceId, failure);
    return 'fallback';
  }

  private start(
    workspace: Workspace,
    plan: ContainerPlan,
    { options, context }: { readonly options: ProvisionSource; readonly context: ProvisionContext },
  ): Promise<void> {
    const { signal, step } = context;
    const files = options.isNew ? options.repository : null;
    return step('container_start', `Starting container from ${nameOf(plan)}`, async () => {
      for (const { image } of [plan, ...plan.services.plans])
        await this.deps.engine.images.ensure(image, signal);
      const user = await this.userOf(plan);
      await this.deps.lifecycle.startNew(workspace, { ...plan, user }, { files, context });
    });
  }

  /** The plan of the repository's own image evaluates the metadata of the image itself. */
  private async userOf({ image, origin, user }: ContainerPlan): Promise<string | null> {
    if (user !== null || origin === 'own') return user;
    return imageUser((await this.deps.engine.images.inspect(image)).Config.Labels);
  }

  private async writeErrorLog(workspaceId: string, failure: Error): Promise<void> {
    const folder = join(this.deps.artifacts.folderOf(workspaceId), 'log');
    const output = failure instanceof BuildFailed ? readable(failure.output) : '';
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeFile(join(folder, errorLog), redactText(`${failure.message}\n\n${output}\n`), { mode: 0o644 });
    await this.deps.engine.copyFolder(dockerName(workspaceId), { from: folder, to: workspacesMount });
    await rm(folder, { recursive: true, force: true });
  }

  private image({ settings }: Workspace): string {
    return settings.image ?? this.options.defaultImage;
  }
}

const errorLogPath = `${workspacesMount}/${errorLog}`;

function nameOf({ origin, image }: ContainerPlan): string {
  return origin === 'own' ? "the repository's image" : image;
}

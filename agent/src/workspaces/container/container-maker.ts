import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { redactText } from '../../shared/redact.js';
import { BuildFailed, readable } from '../devcontainer/build-failed.js';
import type { CachePushes } from '../devcontainer/cache-pushes.js';
import type { DevcontainerBuilds } from '../devcontainer/devcontainer-builds.js';
import { findConfiguration } from '../devcontainer/find-configuration.js';
import { OutputReport } from '../devcontainer/output-report.js';
import type { ProvisionContext } from '../runtime.js';
import type { Workspace } from '../workspace.js';
import { type ContainerOrigin, type ContainerPlan, plainPlan } from './container-plan.js';
import { workDirOf } from './container-settings.js';
import type { ContainerStarts } from './container-starts.js';
import type { DockerEngine } from './docker-engine.js';
import { dockerName, workspacesMount } from './docker-names.js';

/** Where people find why their own image was not used. */
const errorLog = '.devcontainer-build-error.log';

export interface MakeOptions {
  /** A copy of the repository on this machine; null: nothing can be built. */
  readonly repository: string | null;
  /** Whether that copy is to become the files of the workspace. */
  readonly isNew: boolean;
}

export interface MakerParts {
  readonly engine: DockerEngine;
  readonly starts: ContainerStarts;
  readonly builds: DevcontainerBuilds;
  readonly pushes: CachePushes;
}

/** Makes new containers: as the repository wants them, or from the default image where it wants or gets none. */
export class ContainerMaker {
  constructor(
    private readonly options: { readonly defaultImage: string },
    readonly parts: MakerParts,
  ) {}

  /** Takes the place of the container that is there; what was built for it before goes. */
  async make(
    workspace: Workspace,
    options: MakeOptions,
    context: ProvisionContext,
  ): Promise<ContainerOrigin> {
    const own = await this.makeOwn(workspace, options, context);
    if (own instanceof Error) return this.makeFallback(workspace, options, { context, failure: own });
    if (own === null) {
      await this.start(workspace, plainPlan(this.image(workspace), 'default'), { options, context });
      await this.parts.builds.remains.removeImages(workspace.workspaceId, null);
      return 'default';
    }
    await this.parts.builds.remains.removeImages(workspace.workspaceId, own.image);
    await this.parts.engine.run(dockerName(workspace.workspaceId), ['rm', '-f', errorLogPath], '0');
    await this.runCommands(workspace, own.workDir ?? workDirOf(workspace), context);
    this.parts.pushes.begin(workspace, own.image, context);
    return 'own';
  }

  /** Runs what the repository wants to be run at this start; a failure is reported, and is no more than that. */
  async runCommands(workspace: Workspace, workDir: string, context: ProvisionContext): Promise<void> {
    const { signal, step } = context;
    await using report = new OutputReport(context, 'What the commands say');
    const onOutput = (text: string) => report.add(text);
    try {
      await step('devcontainer_commands', 'Running the commands of the dev container', () =>
        this.parts.builds.runCommands(workspace, { signal, onOutput, workDir }),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof BuildFailed)) throw error;
    }
  }

  private async makeOwn(
    workspace: Workspace,
    options: MakeOptions,
    context: ProvisionContext,
  ): Promise<ContainerPlan | Error | null> {
    const { lightweight, devcontainerConfigName } = workspace.settings;
    const { repository } = options;
    if (repository === null || lightweight) return null;
    try {
      const path = await findConfiguration(repository, devcontainerConfigName ?? null);
      if (path === null) return null;
      const plan = await this.build(workspace, { repository, path }, context);
      await this.start(workspace, plan, { options, context });
      return plan;
    } catch (error) {
      context.signal.throwIfAborted();
      // That is no fault of the repository.
      if (await this.parts.engine.wentAway(error, context.signal)) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private async build(
    workspace: Workspace,
    source: { readonly repository: string; readonly path: string },
    context: ProvisionContext,
  ): Promise<ContainerPlan> {
    const { signal, step, report } = context;
    await this.parts.pushes.fetch(workspace, context);
    await using output = new OutputReport(context, 'What the build says');
    const onOutput = (text: string) => output.add(text);
    const { plan, notes } = await step('devcontainer_build', `Building ${source.path}`, () =>
      this.parts.builds.build(workspace, { ...source, signal, onOutput }),
    );
    if (notes.length > 0) {
      const message = 'Some wishes of the dev container are not fulfilled here';
      report({ step: 'devcontainer_notes', status: 'completed', message, detail: notes.join('\n') });
    }
    return plan;
  }

  private async makeFallback(
    workspace: Workspace,
    options: MakeOptions,
    { context, failure }: { readonly context: ProvisionContext; readonly failure: Error },
  ): Promise<ContainerOrigin> {
    const { workspaceId } = workspace;
    const detail = failure instanceof BuildFailed ? failure.detail : failure.message;
    context.report({
      step: 'devcontainer_fallback',
      status: 'failed',
      message: `The repository's own dev container cannot be had; the default image is used. See ${errorLogPath}`,
      detail,
    });
    const plan = plainPlan(this.image(workspace), 'fallback');
    await this.start(workspace, plan, { options, context });
    await this.parts.builds.remains.removeImages(workspaceId, null);
    await this.leaveLog(workspaceId, failure);
    return 'fallback';
  }

  private start(
    workspace: Workspace,
    plan: ContainerPlan,
    { options, context }: { readonly options: MakeOptions; readonly context: ProvisionContext },
  ): Promise<void> {
    const { signal, step } = context;
    return step('container_start', `Starting the container from ${nameOf(plan)}`, async () => {
      await this.parts.engine.images.ensure(plan.image, signal);
      await this.parts.starts.startNew(workspace, plan, options.isNew ? options.repository : null);
    });
  }

  private async leaveLog(workspaceId: string, failure: Error): Promise<void> {
    const folder = join(this.parts.builds.remains.folderOf(workspaceId), 'log');
    const output = failure instanceof BuildFailed ? readable(failure.output) : '';
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeFile(join(folder, errorLog), redactText(`${failure.message}\n\n${output}\n`), { mode: 0o644 });
    await this.parts.engine.copyFolder(dockerName(workspaceId), { from: folder, to: workspacesMount });
    await rm(folder, { recursive: true, force: true });
  }

  private image({ settings }: Workspace): string {
    return settings.image ?? this.options.defaultImage;
  }
}

const errorLogPath = `${workspacesMount}/${errorLog}`;

function nameOf({ origin, image }: ContainerPlan): string {
  return origin === 'own' ? 'the image of the repository' : image;
}

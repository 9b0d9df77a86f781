import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { BuildFailed } from './build-failed.js';
import type { Configuration } from './configuration.js';
import { folderInsideRepository, insideRepository } from './inside-repository.js';

export interface SafeConfigurationOptions {
  /** A copy of the repository on this machine. */
  readonly repository: string;
  /** Of devcontainer.json, relative to it. */
  readonly path: string;
  /** Where the container sees the repository. */
  readonly workDir: string;
  readonly volume: string;
  /** Folder, relative to the repository's copy, with a Dockerfile that is nothing but the wanted image. */
  readonly imageFolder: string;
  readonly buildOptions: readonly string[];
  readonly cacheFrom: string | null;
}

export interface SafeConfiguration {
  readonly configuration: Configuration;
  /** What of the repository's wishes is not done, for people. */
  readonly notes: readonly string[];
}

/**
 * The repository's configuration without what would reach beyond its own container: commands and mounts of the node,
 * flags of its Docker, files outside of the repository.
 * @throws BuildFailed for what cannot be left out
 */
export async function safeConfiguration(
  wanted: Configuration,
  options: SafeConfigurationOptions,
): Promise<SafeConfiguration> {
  if (wanted.dockerComposeFile !== undefined)
    throw new BuildFailed('Dev containers of several services (dockerComposeFile) are not supported');
  if (wanted.image === undefined && wanted.dockerFile === undefined && wanted.build?.dockerfile === undefined)
    throw new BuildFailed('The dev container names neither an image nor a Dockerfile');
  await checkFiles(wanted, options);
  const { initializeCommand, runArgs, workspaceMount, ...rest } = wanted;
  const { configFilePath: _, image: __, dockerFile: ___, context: ____, ...kept } = rest;
  const notes = [
    ...(initializeCommand === undefined ? [] : ['initializeCommand would run on the node and was left out']),
    ...(runArgs?.length ? [`runArgs were left out: ${runArgs.join(' ')}`] : []),
    ...(workspaceMount === undefined ? [] : ['workspaceMount was left out: the files lie in a volume']),
    ...(wanted.build?.options?.length ? ['build.options were left out'] : []),
  ];
  const folder = workspaceFolder(wanted, options.workDir);
  if (wanted.workspaceFolder !== undefined && folder !== wanted.workspaceFolder)
    notes.push(`workspaceFolder must be ${options.workDir} or in it`);
  const configuration = {
    ...kept,
    workspaceFolder: folder,
    workspaceMount: `type=volume,source=${options.volume},target=${dirname(options.workDir)}`,
    build: buildSection(wanted, options),
  };
  return { configuration, notes };
}

/** A mere image is built as well: only builds can be given labels, and be made to clean up behind themselves. */
function buildSection({ build, dockerFile, context }: Configuration, options: SafeConfigurationOptions) {
  const { buildOptions, cacheFrom, imageFolder, path } = options;
  const dockerfile = build?.dockerfile ?? dockerFile;
  const folder = relative(dirname(path), imageFolder);
  const cached = [build?.cacheFrom ?? [], cacheFrom ?? []].flat();
  return {
    ...build,
    ...(dockerfile === undefined
      ? { dockerfile: join(folder, 'Dockerfile'), context: folder }
      : { dockerfile, context: build?.context ?? context ?? '.' }),
    options: [...buildOptions],
    ...(cached.length > 0 ? { cacheFrom: cached } : {}),
  };
}

function workspaceFolder({ workspaceFolder: wanted }: Configuration, workDir: string): string {
  if (wanted === undefined) return workDir;
  const folder = posix.normalize(wanted).replace(/\/+$/, '');
  return folder === workDir || folder.startsWith(`${workDir}/`) ? folder : workDir;
}

async function checkFiles(wanted: Configuration, { repository, path }: SafeConfigurationOptions) {
  const folder = dirname(path);
  const at = (file: string) => (isAbsolute(file) ? file : join(folder, file));
  const dockerfile = wanted.build?.dockerfile ?? wanted.dockerFile;
  if (dockerfile !== undefined) await insideRepository(repository, at(dockerfile), 'The Dockerfile');
  const context = wanted.build?.context ?? wanted.context;
  if (context !== undefined) await insideRepository(repository, at(context), 'The build context');
  for (const feature of Object.keys(wanted.features ?? {})) {
    if (/^[./]/.test(feature))
      await folderInsideRepository(repository, at(feature), `The feature ${feature}`);
  }
}

import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { BuildFailed } from './build-failed.js';
import type { Configuration } from './configuration.js';
import { localFeature } from './feature-id.js';
import { insideRepository, plainIfThere } from './inside-repository.js';
import { knownKeys } from './known-keys.js';
import { checkLocalFeatures } from './local-features.js';

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
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Files of the repository, by path, whose text the tool must read in this form. */
  readonly files: Readonly<Record<string, string>>;
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
  await checkBuildFiles(wanted, options);
  const configFolder = dirname(options.path);
  for (const id of featureIds(wanted)) localFeature(id, configFolder);
  const files = await checkLocalFeatures(options.repository, configFolder);
  const { initializeCommand, runArgs, workspaceMount } = wanted;
  const { kept, unknown } = knownKeys(wanted);
  const cacheFrom = cacheSources(wanted, options);
  const notes = [
    ...(initializeCommand === undefined ? [] : ['initializeCommand would run on the node and was left out']),
    ...(runArgs?.length ? [`runArgs were left out: ${runArgs.join(' ')}`] : []),
    ...(workspaceMount === undefined ? [] : ['workspaceMount was left out: the files lie in a volume']),
    ...(wanted.build?.options?.length ? ['build.options were left out'] : []),
    ...(cacheFrom.refused.length > 0
      ? [`build.cacheFrom may only name images: ${cacheFrom.refused.join(', ')}`]
      : []),
    ...(unknown.length > 0 ? [`Unknown keys were left out: ${unknown.join(', ')}`] : []),
  ];
  const folder = workspaceFolder(wanted, options.workDir);
  if (wanted.workspaceFolder !== undefined && folder !== wanted.workspaceFolder)
    notes.push(`workspaceFolder must be ${options.workDir} or in it`);
  const configuration = {
    ...kept,
    workspaceFolder: folder,
    workspaceMount: `type=volume,source=${options.volume},target=${dirname(options.workDir)}`,
    build: buildSection(wanted, options, cacheFrom.images),
  };
  return { configuration, files, notes };
}

/** An image is built as well: only builds can be given labels, and be made to remove what they leave. */
function buildSection(
  { build, dockerFile, context }: Configuration,
  options: SafeConfigurationOptions,
  cacheFrom: readonly string[],
) {
  const { buildOptions, imageFolder, path } = options;
  const dockerfile = build?.dockerfile ?? dockerFile;
  const folder = relative(dirname(path), imageFolder);
  const { target, args } = build ?? {};
  return {
    ...(target === undefined ? {} : { target }),
    ...(args === undefined ? {} : { args }),
    ...(dockerfile === undefined
      ? { dockerfile: join(folder, 'Dockerfile'), context: folder }
      : { dockerfile, context: build?.context ?? context ?? '.' }),
    options: [...buildOptions],
    ...(cacheFrom.length > 0 ? { cacheFrom } : {}),
  };
}

const imageReference = /^[A-Za-z0-9][A-Za-z0-9._-]*(?::\d+)?(?:\/[A-Za-z0-9._-]+)*(?:[:@][A-Za-z0-9.:_-]+)?$/;

/** BuildKit takes other sources too, among them folders of the machine that it runs on. */
function cacheSources({ build }: Configuration, { cacheFrom }: SafeConfigurationOptions) {
  const wanted = [build?.cacheFrom ?? []].flat();
  return {
    images: [...wanted.filter((source) => imageReference.test(source)), ...(cacheFrom ? [cacheFrom] : [])],
    refused: wanted.filter((source) => !imageReference.test(source)),
  };
}

function featureIds({ features = {}, overrideFeatureInstallOrder = [] }: Configuration): string[] {
  return [...Object.keys(features), ...overrideFeatureInstallOrder];
}

function workspaceFolder({ workspaceFolder: wanted }: Configuration, workDir: string): string {
  if (wanted === undefined) return workDir;
  const folder = posix.normalize(wanted).replace(/\/+$/, '');
  return folder === workDir || folder.startsWith(`${workDir}/`) ? folder : workDir;
}

async function checkBuildFiles(wanted: Configuration, { repository, path }: SafeConfigurationOptions) {
  const folder = dirname(path);
  const at = (file: string) => (isAbsolute(file) ? file : join(folder, file));
  const dockerfile = wanted.build?.dockerfile ?? wanted.dockerFile;
  if (dockerfile === undefined) return;
  await insideRepository(repository, at(dockerfile), 'The Dockerfile');
  const context = at(wanted.build?.context ?? wanted.context ?? '.');
  const contextFolder = await insideRepository(repository, context, 'The build context');
  // The docker command reads both on this machine. Other links of a context are sent as they are.
  await plainIfThere(contextFolder, '.dockerignore');
  await plainIfThere(repository, `${at(dockerfile)}.dockerignore`);
}

import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { BuildFailed } from './build-output.js';
import { type Configuration, knownKeys } from './configuration.js';
import { checkLocalFeatures, localFeature } from './local-features.js';
import { insideRepository, plainIfThere } from './repository-files.js';

interface SafeConfigurationOptions {
  /** A copy of the repository on this machine. */
  readonly repository: string;
  /** Path of devcontainer.json, relative to the repository. */
  readonly path: string;
  /** Path of the repository in the container. */
  readonly workDir: string;
  readonly volume: string;
  /** Folder, relative to the repository, with a Dockerfile that contains only `FROM <image>`. */
  readonly imageFolder: string;
  readonly buildOptions: readonly string[];
  readonly cacheFrom: string | null;
}

interface SafeConfiguration {
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Files of the repository, by path, that the tool must read with this content. */
  readonly files: Readonly<Record<string, string>>;
  /** Settings that were not applied, for the boot log. */
  readonly notes: readonly string[];
}

/**
 * Returns the configuration without settings that reach beyond its own container: commands and
 * mounts of the node, flags of its Docker, files outside of the repository.
 * @throws BuildFailed for settings that cannot be left out
 */
export async function safeConfiguration(
  requested: Configuration,
  options: SafeConfigurationOptions,
): Promise<SafeConfiguration> {
  requireImage(requested);
  await checkBuildFiles(requested, options);
  const configFolder = dirname(options.path);
  for (const id of featureIds(requested)) localFeature(id, configFolder);
  const files = await checkLocalFeatures(options.repository, configFolder);
  const { kept, unknown } = knownKeys(requested);
  const cacheFrom = cacheSources(requested, options);
  const folder = workspaceFolder(requested, options.workDir);
  const notes = [
    ...ignoredSettings(requested),
    ...noteIf(cacheFrom.refused, 'build.cacheFrom ignored, only images are supported: '),
    ...noteIf(unknown, 'Unknown keys ignored: '),
    ...(folder === (requested.workspaceFolder ?? folder)
      ? []
      : [`workspaceFolder ignored: must be ${options.workDir} or a folder in it`]),
  ];
  const configuration = {
    ...kept,
    workspaceFolder: folder,
    workspaceMount: `type=volume,source=${options.volume},target=${dirname(options.workDir)}`,
    build: buildSection(requested, options, cacheFrom.images),
  };
  return { configuration, files, notes };
}

function requireImage({ image, dockerFile, build }: Configuration): void {
  if ((image ?? dockerFile ?? build?.dockerfile) === undefined)
    throw new BuildFailed('devcontainer.json must name an image, a Dockerfile or a compose file');
}

function ignoredSettings({ initializeCommand, runArgs, workspaceMount, build }: Configuration): string[] {
  return [
    ...(initializeCommand === undefined ? [] : ['initializeCommand ignored: it would run on the node']),
    ...(runArgs?.length ? [`runArgs ignored: ${runArgs.join(' ')}`] : []),
    ...(workspaceMount === undefined ? [] : ['workspaceMount ignored: the files are in a volume']),
    ...(build?.options?.length ? ['build.options ignored'] : []),
  ];
}

function noteIf(refused: readonly string[], note: string): string[] {
  return refused.length > 0 ? [`${note}${refused.join(', ')}`] : [];
}

/** A plain image is built too: only a build can add labels and remove intermediate containers. */
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

/** BuildKit accepts other sources too, among them folders of the node. */
function cacheSources({ build }: Configuration, { cacheFrom }: SafeConfigurationOptions) {
  const requested = [build?.cacheFrom ?? []].flat();
  return {
    images: [...requested.filter((source) => imageReference.test(source)), ...(cacheFrom ? [cacheFrom] : [])],
    refused: requested.filter((source) => !imageReference.test(source)),
  };
}

function featureIds({ features = {}, overrideFeatureInstallOrder = [] }: Configuration): string[] {
  return [...Object.keys(features), ...overrideFeatureInstallOrder];
}

function workspaceFolder({ workspaceFolder: requested }: Configuration, workDir: string): string {
  if (requested === undefined) return workDir;
  const folder = posix.normalize(requested).replace(/\/+$/, '');
  return folder === workDir || folder.startsWith(`${workDir}/`) ? folder : workDir;
}

async function checkBuildFiles(requested: Configuration, { repository, path }: SafeConfigurationOptions) {
  const folder = dirname(path);
  const at = (file: string) => (isAbsolute(file) ? file : join(folder, file));
  const dockerfile = requested.build?.dockerfile ?? requested.dockerFile;
  if (dockerfile === undefined) return;
  await insideRepository(repository, at(dockerfile), 'The Dockerfile');
  const context = at(requested.build?.context ?? requested.context ?? '.');
  const contextFolder = await insideRepository(repository, context, 'The build context');
  // The docker command reads both files on the node. Other links of a context are sent as links.
  await plainIfThere(contextFolder, '.dockerignore');
  await plainIfThere(repository, `${at(dockerfile)}.dockerignore`);
}

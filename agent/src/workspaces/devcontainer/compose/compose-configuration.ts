import { dirname, join, relative } from 'node:path';
import { BuildFailed } from '../build-output.js';
import type { Configuration } from '../configuration.js';
import { checkIsolation, mountOf, type ServicePlace } from './plan-service.js';
import { pairsOf, type Service } from './service-schema.js';

interface Files {
  /** Path of devcontainer.json, relative to the repository. */
  readonly path: string;
  /** Path of the compose file, relative to the repository. */
  readonly composePath: string;
}

/**
 * The configuration of the workspace's own container, as if devcontainer.json named image or
 * Dockerfile itself.
 */
export function mainConfiguration(
  requested: Configuration,
  service: Service,
  { place, files }: { readonly place: ServicePlace; readonly files: Files },
): { readonly configuration: Configuration; readonly notes: readonly string[] } {
  const { name } = place;
  checkIsolation(name, service);
  const { dockerComposeFile: _file, service: _service, runServices: _run, ...own } = requested;
  const [volumes, repositories] = split(service);
  const mounts = volumes.map((volume) => mountOf(volume, place));
  if (mounts.some(({ isReadOnly }) => isReadOnly))
    throw new BuildFailed(`Service ${name}: volumes: read-only volumes are not supported in this service`);
  const configuration: Configuration = {
    ...own,
    ...imageOf(service, name, files),
    containerEnv: { ...place.environment, ...recordOf(own.containerEnv) },
    mounts: [
      ...mounts.map(({ volume, target }) => ({
        type: 'volume',
        source: volume.slice(place.volumePrefix.length + 1),
        target,
      })),
      ...(Array.isArray(own.mounts) ? own.mounts : []),
    ],
    capAdd: [...service.cap_add, ...(Array.isArray(own.capAdd) ? own.capAdd : [])],
    securityOpt: [...service.security_opt, ...(Array.isArray(own.securityOpt) ? own.securityOpt : [])],
    overrideCommand: own.overrideCommand ?? false,
    ...(service.user === undefined ? {} : { containerUser: own.containerUser ?? String(service.user) }),
  };
  const notes = repositories.map(
    (volume) => `Service ${name}: volume ${JSON.stringify(volume)} ignored: the files are in a volume`,
  );
  return { configuration, notes };
}

/** The mount of the repository has no effect: the workspace's volume has its files. */
function split({ volumes }: Service): [Service['volumes'], Service['volumes']] {
  const isRepository = (volume: Service['volumes'][number]) => {
    const source = typeof volume === 'string' ? volume.split(':')[0] : volume.source;
    return source?.startsWith('.') === true && /^[./]+$/.test(source);
  };
  return [volumes.filter((volume) => !isRepository(volume)), volumes.filter(isRepository)];
}

function imageOf(
  { image, build }: Service,
  name: string,
  { path, composePath }: Files,
): Pick<Configuration, 'image' | 'build'> {
  if (build === undefined) {
    if (image === undefined) throw new BuildFailed(`Service ${name}: the key image or build is missing`);
    return { image };
  }
  const {
    context = '.',
    dockerfile = 'Dockerfile',
    target,
    args,
  } = typeof build === 'string' ? { context: build } : build;
  if (/^(?:[a-z+]+:\/\/|git@)/.test(context))
    throw new BuildFailed(`Service ${name}: build.context must be a folder of the repository`);
  const folder = relative(dirname(path), join(dirname(composePath), context)) || '.';
  return {
    build: {
      context: folder,
      dockerfile: join(folder, dockerfile),
      ...(target === undefined ? {} : { target }),
      ...(args === undefined ? {} : { args: pairsOf(args) }),
    },
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? { ...value } : {};
}

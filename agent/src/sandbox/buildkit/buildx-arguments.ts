import { posix } from 'node:path';
import * as z from 'zod/mini';
import type { BuildVerdict } from '../engine/engine-rules.js';

interface BuildxBuild extends Pick<BuildVerdict, 'query' | 'dockerfile' | 'buildArguments' | 'platform'> {
  /** Owner of the cache mounts of the build. */
  readonly workspaceId: string;
  /** Path of the control group of all steps. */
  readonly cgroupPath: string;
}

const Labels = z.record(z.string(), z.string());

/**
 * Arguments of `docker buildx` for a build whose parameters and Dockerfile were checked, with the
 * archive of its context at standard input. An imported cache would become part of the cache of all
 * builds of the engine: there is none. Without a cache BuildKit would give cache mounts to nobody.
 */
export function buildxArguments(build: BuildxBuild): readonly string[] {
  const { query, buildArguments, workspaceId, cgroupPath, platform } = build;
  const labels = Object.entries(Labels.parse(JSON.parse(query.get('labels') ?? '{}')));
  const target = query.get('target');
  return [
    ...['build', '--builder=default', '--load', '--progress=plain', '--provenance=false', '--sbom=false'],
    // A path, even when the name looks like an address or like standard input.
    `--file=./${posix.normalize(build.dockerfile)}`,
    `--cgroup-parent=${cgroupPath}`,
    ...labels.map(([name, value]) => `--label=${name}=${value}`),
    ...query.getAll('t').map((name) => `--tag=${name}`),
    ...(target ? [`--target=${target}`] : []),
    ...(platform ? [`--platform=${platform}`] : []),
    ...[...buildArguments].map(([name, value]) => `--build-arg=${name}=${value}`),
    `--build-arg=BUILDKIT_CACHE_MOUNT_NS=${workspaceId}`,
    '-',
  ];
}

import * as z from 'zod/mini';
import { isOwnName, isReadableName } from './image-name.js';

/** Limits and network of every container of a build, for the engine. */
export interface BuildPlace {
  readonly network: string;
  /** Control group that limits the processes of a build; null where the agent cannot make one. */
  readonly cgroupParent: string | null;
  /** Its path, when it has all limits of the build; else null. */
  readonly limitedPath: string | null;
  readonly limits: {
    readonly Memory: number;
    readonly MemorySwap: number;
    readonly NanoCpus: number;
    readonly CpuShares: number;
  };
}

export interface BuildScope {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Null: this run builds nothing. */
  readonly place: BuildPlace | null;
}

export interface QueryRefused {
  readonly reason: string;
}

/**
 * Passed on unchanged. All others are dropped, so that the engine's defaults apply. Not `pull`: the
 * engine could then use another image than the one that was checked.
 */
const harmless = ['dockerfile', 'target', 'nocache', 'q', 'platform'];
const Names = z._default(z.array(z.string()), []);
const Labels = z._default(z.record(z.string(), z.string()), {});
const cpuPeriodMicroseconds = 100_000;

/** Parameters of a classic build, with labels, limits and network of the workspace. */
export function buildQuery(query: URLSearchParams, scope: BuildScope): URLSearchParams | QueryRefused {
  const { place } = scope;
  if (place === null) return { reason: 'this run builds no images' };
  const cacheFrom = Names.safeParse(json(query.get('cachefrom')));
  const labels = Labels.safeParse(json(query.get('labels')));
  if (!cacheFrom.success || !labels.success) return { reason: 'invalid build parameters' };
  const reason = refusal(query, cacheFrom.data, scope);
  if (reason !== null) return { reason };
  const made = new URLSearchParams({
    labels: JSON.stringify({ ...labels.data, ...scope.labels }),
    cachefrom: JSON.stringify(cacheFrom.data),
    buildargs: JSON.stringify(Object.fromEntries(buildArguments(query))),
    rm: '1',
    forcerm: '1',
    ...placeQuery(place),
  });
  for (const name of query.getAll('t')) made.append('t', name);
  for (const key of harmless) {
    const value = query.get(key);
    if (value !== null) made.set(key, value);
  }
  return made;
}

function placeQuery({ network, cgroupParent, limits }: BuildPlace): Record<string, string> {
  return {
    networkmode: network,
    memory: String(limits.Memory),
    memswap: String(limits.MemorySwap),
    cpuperiod: String(cpuPeriodMicroseconds),
    cpuquota: String(Math.floor((limits.NanoCpus / 1e9) * cpuPeriodMicroseconds)),
    cpushares: String(limits.CpuShares),
    ...(cgroupParent === null ? {} : { cgroupparent: cgroupParent }),
  };
}

function refusal(query: URLSearchParams, cacheFrom: readonly string[], scope: BuildScope): string | null {
  if (query.get('remote')) return 'a remote build context is not allowed';
  const network = query.get('networkmode');
  if (network && network !== 'default') return 'only the default network is allowed';
  if (!query.getAll('t').every((name) => isOwnName(name, scope)))
    return 'image names must belong to the workspace';
  return cacheFrom.every((name) => isReadableName(name, scope))
    ? null
    : 'the cache image belongs to another workspace';
}

/** The docker command writes `null` for none. */
function json(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null') ?? undefined;
  } catch {
    return null;
  }
}

const Arguments = z._default(z.record(z.string(), z.nullable(z.string())), {});

/**
 * Not passed on. BuildKit takes the first as options, among them the image of a frontend. It leaves
 * the others out of the keys of its cache: a build through the proxy of one workspace would be the
 * result of the same step in another workspace.
 */
const droppedArgument = /^(?:buildkit_.*|(?:https?|ftp|no|all)_proxy)$/i;

/** The build arguments of a query; those that are not valid count as none. */
export function buildArguments(query: URLSearchParams): ReadonlyMap<string, string> {
  const parsed = Arguments.safeParse(json(query.get('buildargs')));
  const entries = Object.entries(parsed.success ? parsed.data : {});
  return new Map(
    entries.flatMap(([name, value]) =>
      value === null || !/^\w+$/.test(name) || droppedArgument.test(name) ? [] : [[name, value]],
    ),
  );
}

import * as z from 'zod/mini';
import { isOwnName, isReadableName } from './image-names.js';

export interface BuildScope {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface QueryRefused {
  readonly reason: string;
}

/** Passed on as they are. All others are left out, so that the engine's defaults apply. */
const harmless = ['dockerfile', 'target', 'buildargs', 'nocache', 'pull', 'q', 'platform'];
const Names = z._default(z.array(z.string()), []);
const Labels = z._default(z.record(z.string(), z.string()), {});

/** Parameters of a build by the engine's classic builder, with the labels of the workspace. */
export function buildQuery(query: URLSearchParams, scope: BuildScope): URLSearchParams | QueryRefused {
  const cacheFrom = Names.safeParse(json(query.get('cachefrom')));
  const labels = Labels.safeParse(json(query.get('labels')));
  if (!cacheFrom.success || !labels.success) return { reason: 'parameters of the build are not valid' };
  const reason = refusal(query, cacheFrom.data, scope);
  if (reason !== null) return { reason };
  const made = new URLSearchParams({
    labels: JSON.stringify({ ...labels.data, ...scope.labels }),
    cachefrom: JSON.stringify(cacheFrom.data),
    rm: '1',
    forcerm: '1',
  });
  for (const name of query.getAll('t')) made.append('t', name);
  for (const key of harmless) {
    const value = query.get(key);
    if (value !== null) made.set(key, value);
  }
  return made;
}

function refusal(query: URLSearchParams, cacheFrom: readonly string[], scope: BuildScope): string | null {
  if (query.get('remote')) return 'builds get their context from the run';
  const network = query.get('networkmode');
  if (network && network !== 'default') return 'builds use the default network';
  if (!query.getAll('t').every((name) => isOwnName(name, scope)))
    return 'images get names of their workspace only';
  return cacheFrom.every((name) => isReadableName(name, scope))
    ? null
    : 'the cache belongs to another workspace';
}

/** The docker command writes `null` for none. */
function json(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null') ?? undefined;
  } catch {
    return null;
  }
}

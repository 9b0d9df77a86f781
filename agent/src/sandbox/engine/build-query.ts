import * as z from 'zod/mini';

export interface BuildScope {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface QueryRefused {
  readonly reason: string;
}

/** Passed on unchanged. All others are dropped, so that the engine's defaults apply. */
const harmless = ['dockerfile', 'target', 'buildargs', 'nocache', 'pull', 'q', 'platform'];
const Names = z._default(z.array(z.string()), []);
const Labels = z._default(z.record(z.string(), z.string()), {});

/** Parameters of a classic build, with the labels of the workspace. */
export function buildQuery(query: URLSearchParams, scope: BuildScope): URLSearchParams | QueryRefused {
  const cacheFrom = Names.safeParse(json(query.get('cachefrom')));
  const labels = Labels.safeParse(json(query.get('labels')));
  if (!cacheFrom.success || !labels.success) return { reason: 'invalid build parameters' };
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

export interface NameScope {
  readonly workspaceId: string;
}

/** Whether an image may get this name: the agent removes such images with the workspace. */
export function isOwnName(name: string, { workspaceId }: NameScope): boolean {
  const id = workspaceId.toLowerCase();
  const repository = name.replace(/:[\w.-]+$/, '');
  return repository === `svc-ws-${id}` || repository.startsWith(`vsc-${id}-`);
}

/** Whether a run may read the image: any image but those of other workspaces. */
export function isReadableName(name: string, scope: NameScope): boolean {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/.test(name)) return false;
  const local = name.replace(/^docker\.io\//, '').replace(/^library\//, '');
  return !/^(?:svc-ws|vsc)-/.test(local) || isOwnName(local, scope);
}

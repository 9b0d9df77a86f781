import type Docker from 'dockerode';
import * as z from 'zod/mini';

/** Disk of the engine's cache after a build; the least recently used entries go first. */
const maxCacheBytes = 20 * 1024 ** 3;

const Usage = z.object({
  BuildCache: z.nullish(
    z.array(z.object({ ID: z.string(), Type: z.string(), Description: z._default(z.string(), '') })),
  ),
});

/** Keeps the cache of BuildKit within its limit. A failure is repaired by the next build. */
export async function pruneBuildCache(docker: Docker, maxBytes = maxCacheBytes): Promise<void> {
  // Engines before 28 know the first name only.
  const limit = { 'keep-storage': String(maxBytes), 'max-used-space': String(maxBytes) };
  await prune(docker, { all: '1', ...limit }).catch(() => undefined);
}

/**
 * Removes the cache mounts of a workspace's builds. Their ids begin with the workspace
 * (BUILDKIT_CACHE_MOUNT_NS).
 */
export async function removeCacheMounts(docker: Docker, workspaceId: string): Promise<void> {
  if (!(await hasLimitedBuildKit(docker))) return;
  const query = { type: 'build-cache' };
  const usage = Usage.parse(await call(docker, { method: 'GET', path: '/system/df?', query }));
  const own = new RegExp(` with id "${workspaceId}/[^"]*"$`);
  const mounts = (usage.BuildCache ?? []).filter(
    ({ Type, Description }) => Type === 'exec.cachemount' && own.test(Description),
  );
  for (const { ID } of mounts) await prune(docker, { all: '1', filters: JSON.stringify({ id: [ID] }) });
}

/** API 1 of Engine 26.1: older engines ignore the policy of sources and the group. */
const leastMinor = 45;

/** Whether BuildKit of the engine keeps the limits of builds; no other engine gets such a build. */
export async function hasLimitedBuildKit(docker: Docker): Promise<boolean> {
  const [, minor = 0] = (await docker.version()).ApiVersion.split('.').map(Number);
  return minor >= leastMinor;
}

function prune(docker: Docker, query: Readonly<Record<string, string>>): Promise<unknown> {
  return call(docker, { method: 'POST', path: '/build/prune?', query });
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

function call(docker: Docker, { method, path, query }: Call): Promise<unknown> {
  const statusCodes = { 200: true, 500: 'The engine failed' };
  const options = { _query: query, _body: {} };
  return new Promise((resolve, reject) => {
    docker.modem.dial({ method, path, options, statusCodes }, (error, data) =>
      error ? reject(error) : resolve(data),
    );
  });
}

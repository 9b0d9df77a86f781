/**
 * Where a request goes, as CloudFront's behaviours and the nodes' own addresses decide it in the
 * cloud.
 */
export type Target =
  | { readonly kind: 'api' }
  | { readonly kind: 'live' }
  | { readonly kind: 'artifacts'; readonly key: string }
  | { readonly kind: 'console'; readonly key: string }
  | { readonly kind: 'elsewhere' }
  | {
      readonly kind: 'workspace';
      readonly workspaceId: string;
      readonly path: string;
      /** By the path of the front address, so at the origin of the console. */
      readonly isAtFront: boolean;
    };

const apiPrefixes = ['/api/', '/ai/', '/.well-known/', '/oauth/', '/connect/'];
const apiPaths = new Set(['/health', '/openapi.json', '/openapi-callbacks.json', '/docs', '/mcp']);
// The path's first part names the bucket, as CloudFront's behaviour does; keys do not have it.
const artifactsPrefix = 'artifacts/';
const workspaceHost = /^ws-([0-9a-hjkmnp-tv-z]{26})(?:--\d{1,5})?\.localhost(?::\d+)?$/i;
const workspacePath = /^\/ws\/([0-9a-hjkmnp-tv-z]{26})(\/.*)?$/i;

/**
 * What a workspace serves itself would be of one origin with the console here, and could act as
 * whoever is signed in: it has an address of its own.
 */
const previewPath = /^\/workspaces\/[^/]+\/(?:ports|local-forward)\//i;

export const isWorkspaceHost = (host: string): boolean => workspaceHost.test(host);

/** @param url path and query, as the request line has it */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function targetOf(host: string, url: string): Target {
  const byHost = workspaceHost.exec(host)?.[1];
  if (byHost) return { kind: 'workspace', workspaceId: byHost.toUpperCase(), path: url, isAtFront: false };
  const [path = '/', query] = url.split(/\?(.*)/s);
  const byPath = workspacePath.exec(path);
  if (byPath?.[1]) {
    if (previewPath.test(decoded(byPath[2] ?? ''))) return { kind: 'elsewhere' };
    const rest = `${byPath[2] ?? '/'}${query === undefined ? '' : `?${query}`}`;
    return { kind: 'workspace', workspaceId: byPath[1].toUpperCase(), path: rest, isAtFront: true };
  }
  if (path === '/live') return { kind: 'live' };
  if (apiPaths.has(path) || apiPrefixes.some((prefix) => path.startsWith(prefix))) return { kind: 'api' };
  const key = objectKey(path);
  return key.startsWith(artifactsPrefix)
    ? { kind: 'artifacts', key: key.slice(artifactsPrefix.length) }
    : { kind: 'console', key };
}

/** As the router of the node reads it, which decodes every part. */
function decoded(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** The object behind a path. A path that does not decode names nothing. */
function objectKey(path: string): string {
  try {
    return decodeURIComponent(path.slice(1)) || 'index.html';
  } catch {
    return '';
  }
}

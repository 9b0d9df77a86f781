export type Page =
  | { readonly kind: 'workspaces' | 'new' | 'nodes' | 'missing' }
  | { readonly kind: 'workspace'; readonly workspaceId: string }
  | { readonly kind: 'port'; readonly workspaceId: string; readonly port: number };

/**
 * Which page a path names. The code host sends people back to `/settings` after an installation.
 */
export function pageOf(pathname: string): Page {
  const path = pathname.replace(/\/+$/, '') || '/';
  const workspaceId = /^\/workspaces\/([0-9A-HJKMNP-TV-Z]{26})$/.exec(path)?.[1];
  if (workspaceId) return { kind: 'workspace', workspaceId };
  const port = /^\/workspaces\/([0-9A-HJKMNP-TV-Z]{26})\/ports\/([1-9]\d{0,4})$/.exec(path);
  if (port?.[1]) return { kind: 'port', workspaceId: port[1], port: Number(port[2]) };
  if (path === '/' || path === '/index.html' || path === '/workspaces') return { kind: 'workspaces' };
  if (path === '/new' || path === '/settings') return { kind: 'new' };
  if (path === '/nodes') return { kind: 'nodes' };
  return { kind: 'missing' };
}

/** What to say on arrival, from what a redirect carries. */
export function arrivalNotice(search: string): string | undefined {
  const query = new URLSearchParams(search);
  const outcome = query.get('github_app');
  if (outcome === 'installed') return 'The application is installed. Choose one of its repositories below.';
  if (outcome === 'error')
    return `The installation could not be recorded: ${query.get('reason') ?? 'unknown'}.`;
  return undefined;
}

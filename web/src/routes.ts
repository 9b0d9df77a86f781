/** Paths that the control plane answers, and no page. */
const served = /^\/(?:api|docs|openapi|live|health|assets|\.well-known|mcp)(?:[/.]|$)/;

/** Whether the console shows something at a path of its own host. */
export const isPage = (pathname: string): boolean => !served.test(pathname);

/**
 * Where a sign-in comes back to. The path at a service is part of the address of its page. The
 * sign-in accepts at most 512 characters.
 */
export function returnPath({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const withSearch = pathname + search;
  const keepsSearch = /^\/workspaces\/\w+\/ports\//.test(pathname) || /^\?prompt=/.test(search);
  return keepsSearch && withSearch.length <= 512 ? withSearch : pathname;
}

/** What to say on arrival, from what a redirect carries. */
export function arrivalNotice(search: string): string | undefined {
  const query = new URLSearchParams(search);
  const outcome = query.get('github_app');
  if (outcome === 'installed')
    return 'The application is installed. You can create projects from its repositories.';
  if (outcome === 'error')
    return `The installation could not be recorded: ${query.get('reason') ?? 'unknown'}.`;
  return undefined;
}

/**
 * Whether pages of an origin may read responses of this node: the configured origins, or else only
 * the control plane's own. Other hosts of its domain may be workspaces.
 */
export function originRule(
  configured: readonly string[] | null,
  controlPlaneUrl: string,
): (origin: string) => boolean {
  const patterns = (configured ?? [new URL(controlPlaneUrl).origin]).map(matcher);
  return (origin) => patterns.some((matches) => matches(origin));
}

/** `*` matches one or more labels of a host, but no port and no scheme. */
function matcher(pattern: string): (origin: string) => boolean {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return (origin) => origin === pattern;
  return (origin) =>
    origin.length > before.length + after.length &&
    origin.startsWith(before) &&
    origin.endsWith(after) &&
    /^[\w.-]+$/.test(origin.slice(before.length, origin.length - after.length));
}

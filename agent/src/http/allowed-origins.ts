/**
 * The origins whose pages may read answers of this node: those that are configured, or else the control plane alone.
 * Hosts under its domain may be workspaces.
 */
export function originRule(
  configured: readonly string[] | null,
  controlPlaneUrl: string,
): (origin: string) => boolean {
  const patterns = (configured ?? [new URL(controlPlaneUrl).origin]).map(matcher);
  return (origin) => patterns.some((matches) => matches(origin));
}

/** The star stands for a name or more in front of the rest, never for another port or a scheme. */
function matcher(pattern: string): (origin: string) => boolean {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return (origin) => origin === pattern;
  return (origin) =>
    origin.length > before.length + after.length &&
    origin.startsWith(before) &&
    origin.endsWith(after) &&
    /^[\w.-]+$/.test(origin.slice(before.length, origin.length - after.length));
}

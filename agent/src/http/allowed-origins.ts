import { isIP } from 'node:net';

/**
 * The origins whose pages may call this node: those that are configured, or else the control plane and every host
 * under its domain, whose `api.` in front does not count.
 */
export function originRule(
  configured: readonly string[] | null,
  controlPlaneUrl: string,
): (origin: string) => boolean {
  const patterns = (configured ?? derived(controlPlaneUrl)).map(matcher);
  return (origin) => patterns.some((matches) => matches(origin));
}

function derived(controlPlaneUrl: string): string[] {
  const { origin, hostname } = new URL(controlPlaneUrl);
  const hasDomain = hostname.includes('.') && isIP(hostname.replace(/[[\]]/g, '')) === 0;
  return hasDomain ? [origin, `https://*.${hostname.replace(/^api\./, '')}`] : [origin];
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

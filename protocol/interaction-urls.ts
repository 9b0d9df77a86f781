import * as z from 'zod/mini';

/** Links that an agent may ask a person to open. */

export const urlLimits = { chars: 2_048, redirectDepth: 3 } as const;

const privateZones = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$/;
const label = /^(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a host name is public: not an IP, a single label, a private zone or punycode. */
function isPublicHost(host: string): boolean {
  const labels = host.split('.');
  const isDomain = labels.length > 1 && /[a-z]/.test(labels.at(-1) ?? '');
  return isDomain && !privateZones.test(host) && labels.every((part) => label.test(part));
}

const isLink = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/**
 * Whether a link leads to a public https site, also through the addresses in its parameters, to
 * which the site may redirect the person.
 */
export function isEligibleUrl(text: string, depth: number = urlLimits.redirectDepth): boolean {
  if (text.length > urlLimits.chars || !URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password, hash, searchParams } = new URL(text);
  if (protocol !== 'https:' || port !== '' || username || password || hash) return false;
  if (!isPublicHost(hostname)) return false;
  const targets = [...searchParams.values()].filter(isLink);
  return targets.every((target) => depth > 0 && isEligibleUrl(target, depth - 1));
}

export const EligibleUrl = z.string().check(
  z.maxLength(urlLimits.chars),
  z.refine((text) => isEligibleUrl(text), 'must be an https address of a public site'),
);

import { type Instruction, possibleInstructions } from './dockerfile-lines.js';
import { type AllowedHosts, isAllowedHost } from './engine-hosts.js';

const remote = /^(?:https?:\/\/|git:\/\/|ssh:\/\/|git@|[\w.-]+@[\w.-]+:|(?:github|gitlab)\.com\/)/i;
/** Beginnings of remote addresses, for sources that continue with a variable. */
const beginnings = ['http://', 'https://', 'git://', 'git@', 'ssh://', 'github.com/', 'gitlab.com/'];
const shownLength = 100;

/**
 * Why the Dockerfile must not be built: the engine would fetch a source of ADD itself, on the
 * network of its machine, and follow redirects. Null: it fetches nothing, or from allowed hosts
 * only.
 */
export function remoteSource(dockerfile: string, allowed: AllowedHosts): string | null {
  const adds = possibleInstructions(dockerfile).filter(({ name }) => name === 'ADD');
  for (const source of adds.flatMap(sourcesOf)) {
    if (isOpen(source))
      return `ADD ${shown(source)}: write a source of ADD without a variable at its beginning`;
    if (remote.test(source) && !isAllowedHost(hostOf(source), allowed))
      return `ADD ${shown(source)}: a build adds no remote files. Use RUN with curl or git`;
  }
  return null;
}

/** Words without quotes; the last one is the destination. Includes flags. */
function sourcesOf({ text }: Instruction): readonly string[] {
  const isList = /^(?:--\S*\s+)*\[/.test(text);
  // An escape of JSON could hide any character.
  if (isList && text.includes('\\u')) return ['$'];
  const plain = text.replace(/["'\\`]/g, '').replace(isList ? /[[\],]/g : /(?!)/, ' ');
  return plain
    .split(/[\s\u0085]+/)
    .filter(Boolean)
    .slice(0, -1);
}

/** Whether a variable decides if the source is a remote address. */
function isOpen(source: string): boolean {
  const at = source.indexOf('$');
  if (at < 0) return false;
  const literal = source.slice(0, at).toLowerCase();
  return beginnings.some((beginning) => beginning.startsWith(literal));
}

/** Empty when a variable is part of the host. */
function hostOf(source: string): string {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(source)?.[1] ?? '';
  return /[$@]/.test(authority) ? '' : authority;
}

function shown(source: string): string {
  return source.slice(0, shownLength);
}

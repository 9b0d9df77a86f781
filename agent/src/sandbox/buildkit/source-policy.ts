import { canonicalName } from '../engine/image-name.js';

/**
 * A policy of sources for BuildKit, which evaluates it before it connects: only the archive of the
 * build and images that were checked. The last rule that matches holds.
 */
export function sourcePolicy(images: readonly string[]): string {
  const names = new Set(images.map(canonicalName));
  const allowed = ['http://buildkit-session/*', ...[...names].flatMap(identifiers)];
  const rules = [rule('DENY', '*'), ...allowed.map((identifier) => rule('ALLOW', identifier))];
  return JSON.stringify({ rules });
}

/** BuildKit adds the digest when it knows it. */
function identifiers(name: string): readonly string[] {
  const identifier = `docker-image://${name}`;
  return name.includes('@') ? [identifier] : [identifier, `${identifier}@sha256:*`];
}

function rule(action: 'ALLOW' | 'DENY', identifier: string) {
  return { action, selector: { identifier, matchType: 'WILDCARD' } };
}

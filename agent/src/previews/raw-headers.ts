export type HeaderPair = [name: string, value: string];

/** Headers as they came, in their order and with their repeats. */
export function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  return Array.from(
    { length: rawHeaders.length / 2 },
    (_, index): HeaderPair => [rawHeaders[2 * index] ?? '', rawHeaders[2 * index + 1] ?? ''],
  );
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Without the headers of one connection, which no proxy passes on: the known ones, and those that Connection names. */
export function withoutHopByHop(pairs: readonly HeaderPair[]): HeaderPair[] {
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((token) => token.trim()),
    );
  const dropped = new Set([...hopByHop, ...named]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** Trailers can be announced only where they can follow: after a body in chunks. */
export function withTrailersOf(areChunks: boolean, pairs: readonly HeaderPair[]): readonly HeaderPair[] {
  return areChunks ? pairs : pairs.filter(([name]) => name.toLowerCase() !== 'trailer');
}

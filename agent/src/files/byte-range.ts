export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/**
 * Parses a Range header. Null: send the whole file, also for several ranges and invalid headers
 * (RFC 9110, 14.2). 'none': the range is outside of the file.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function parseRange(header: string | undefined, size: number): ByteRange | null | 'none' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'none' : { start: size - length, length };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return null;
  return start >= size ? 'none' : { start, length: end - start + 1 };
}

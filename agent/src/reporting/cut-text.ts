export const cutMark = '\n\n[truncated]';

/** At most so many bytes of UTF-8, without half a character, and marked where something is missing. */
export function cutText(text: string, maxBytes: number, mark = cutMark): string {
  // No character of a string needs more than three bytes a code unit.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  return headOf(text, maxBytes - Buffer.byteLength(mark)) + mark;
}

/** As much of the beginning as fits into so many bytes of UTF-8, without half a character. */
export function headOf(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return text.slice(0, read);
}

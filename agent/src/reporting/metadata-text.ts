/** Half a character, which a harness may leave somewhere, is no text: nobody could store it. */
export function metadataText(value: Readonly<Record<string, unknown>> | null): string | null {
  if (value === null) return null;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part));
}

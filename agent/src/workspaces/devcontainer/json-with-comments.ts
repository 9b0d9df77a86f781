// An unterminated string or comment ends at the end of the text, so that no text is scanned more than once.
const text = String.raw`("(?:\\[\s\S]?|[^"\\])*(?:"|$))`;
const stringOrComment = new RegExp(String.raw`${text}|//[^\n\r]*|/\*[\s\S]*?(?:\*/|$)`, 'g');
const stringOrTrailingComma = new RegExp(String.raw`${text}|,(?=\s*[}\]])`, 'g');

/**
 * Parses JSON with comments and trailing commas. A key `__proto__` is left out.
 * @throws SyntaxError
 */
export function parseJsonWithComments(source: string): unknown {
  const plain = source
    .replace(/^\uFEFF/, '')
    .replace(stringOrComment, '$1')
    .replace(stringOrTrailingComma, '$1');
  return JSON.parse(plain, (key, value) => (key === '__proto__' ? undefined : value));
}

const escapes: Readonly<Record<string, number>> = {
  ...{ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 },
};

/** A name as git prints it: with special characters it is quoted, byte by byte. */
export function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const parts = name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs);
  return new TextDecoder().decode(new Uint8Array([...parts].flatMap(bytesOf)));
}

function bytesOf([part = '', octal, letter]: RegExpExecArray): readonly number[] {
  if (octal !== undefined) return [Number.parseInt(octal, 8)];
  return letter !== undefined ? [escapes[letter] ?? 0] : [...new TextEncoder().encode(part)];
}

/** A name for people: characters that move or hide text are shown by their code. */
export const shownPath = (path: string): string =>
  path.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });

/** The API takes no control characters in a path. */
export const canBeAskedFor = (path: string): boolean => !/\p{Cc}/u.test(path);

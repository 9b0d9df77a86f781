export type Variables = ReadonlyMap<string, string>;

const reference = /\$(?:(?<plain>\w+)|\{(?<braced>\w+)(?::?(?<sign>[-+])(?<alternative>[^${}]*))?\})/g;

/**
 * The word with the values of its variables. Null when it has quotes or any other expansion, or a
 * variable whose value cannot be determined.
 */
export function expand(word: string, variables: Variables): string | null {
  let text = '';
  let end = 0;
  for (const match of word.matchAll(reference)) {
    text += word.slice(end, match.index) + textFor(match.groups ?? {}, variables);
    end = match.index + match[0].length;
  }
  text += word.slice(end);
  return /["'\\`$]/.test(text) ? null : text;
}

function textFor(groups: Readonly<Record<string, string | undefined>>, variables: Variables): string {
  const { plain, braced = '', sign, alternative = '' } = groups;
  const value = variables.get(plain ?? braced) ?? '';
  if (sign === '-') return value || alternative;
  return sign === '+' ? value && alternative : value;
}

/** Marks a variable without a value that can be determined: no word with it expands. */
const unknown = '$';

/** Adds the variables of an ARG instruction: given values replace those of the Dockerfile. */
export function declare(text: string, variables: Map<string, string>, given: Variables): void {
  for (const word of text.split(/\s+/)) {
    const [, key = '', own] = /^(\w+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = given.get(key) ?? (own === undefined ? undefined : expand(unquoted(own), variables));
    if (value !== undefined) variables.set(key, value ?? unknown);
  }
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
}

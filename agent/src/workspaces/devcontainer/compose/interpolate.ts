import { BuildFailed } from '../build-output.js';

export type Variables = Readonly<Record<string, string>>;

/** $NAME, ${NAME}, ${NAME:-default}, ${NAME-default}, ${NAME:?error}, ${NAME?error}, $$ for $. */
const reference = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?)([-?])([^{}$]*))?\}|\{[^}]*\}?)/g;

/**
 * Replaces references to variables in all texts of a parsed file. A variable without value and
 * default becomes empty.
 * @throws BuildFailed for a form that is not supported, or a required variable without value
 */
export function interpolate(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return replaced(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, variables)]));
}

function replaced(text: string, variables: Variables): string {
  return text.replace(reference, (whole: string, ...[plain, braced, colon, operator, word]: string[]) => {
    if (whole === '$$') return '$';
    const name = plain ?? braced;
    if (name === undefined)
      throw new BuildFailed(`The compose file has the variable ${whole}, which is not supported`);
    const value = knownValue(variables, name, colon === ':');
    return value ?? substitute(name, operator, word);
  });
}

function knownValue(variables: Variables, name: string, isEmptyMissing: boolean): string | undefined {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return isEmptyMissing && value === '' ? undefined : value;
}

function substitute(name: string, operator: string | undefined, word = ''): string {
  if (operator === '?')
    throw new BuildFailed(`The compose file needs the variable ${name}. Set it in the file .env`);
  return word;
}

const entry = /^\s*(?:export\s+)?([A-Za-z_]\w*)[ \t]*=(.*)$/;

/** Variables of a file of lines `NAME=value`, as `.env` and `env_file` name them. */
export function parseEnvironmentFile(text: string): Variables {
  const found = text.split('\n').flatMap((line) => {
    const [, name, value] = entry.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquoted(value.trim())] as const];
  });
  return Object.fromEntries(found);
}

function unquoted(value: string): string {
  const [, , inner] = /^(["'])(.*)\1(?:\s+#.*)?$/.exec(value) ?? [];
  return inner ?? value.replace(/(?:^|\s)#.*$/, '').trim();
}

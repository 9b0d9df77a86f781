/** A name that a shell takes. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads one line of standard input, which sets the environment, and becomes the program. So nothing of it is on a command
 * line, in a file, or in what the Docker engine tells; `read` of a shell takes a pipe byte by byte, so the program
 * finds the rest of its input untouched.
 */
export const environmentWrapper = `
nl='
'
IFS= read -r line || exit 97
eval "$line"
unset line nl
PATH="\${HOME:-/root}/.local/bin:$PATH"
export PATH
exec "$@"`;

/**
 * The line, with its end. What is cleared is set again where `environment` has it.
 * @throws when a name or value cannot be in an environment
 */
export function environmentLine(
  environment: Readonly<Record<string, string>>,
  cleared: readonly string[] = [],
): string {
  const unset = cleared.filter((name) => variableName.test(name)).map((name) => `unset ${name}`);
  const settings = Object.entries(environment).map(([name, value]) => {
    if (!variableName.test(name) || value.includes('\0'))
      throw new Error(`${name} cannot be an environment variable`);
    return `export ${name}=${quoted(value)}`;
  });
  return `${[...unset, ...settings, ':'].join('; ')}\n`;
}

function quoted(value: string): string {
  const parts = value.split('\n').map((part) => `'${part.replaceAll("'", `'\\''`)}'`);
  return parts.join('"$nl"');
}

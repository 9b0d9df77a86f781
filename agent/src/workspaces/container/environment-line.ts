/** A valid name of a shell variable. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Sets the environment from the first line of standard input, then executes the program. Values
 * appear in no command line, file or engine API. `read` takes a pipe byte by byte, so the program
 * gets the rest of the input.
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
 * The line with its newline. Cleared variables that `environment` names are set again.
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

/** A file for the `.` command of a shell that sets the environment. */
export function environmentScript(environment: Readonly<Record<string, string>>): string {
  return `nl='\n'\n${environmentLine(environment)}unset nl\n`;
}

function quoted(value: string): string {
  const parts = value.split('\n').map((part) => `'${part.replaceAll("'", `'\\''`)}'`);
  return parts.join('"$nl"');
}

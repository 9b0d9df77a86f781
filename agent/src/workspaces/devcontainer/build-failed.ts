const shownOutput = 3_000;

/** The repository's own dev container cannot be made; the message is for the person who asked for it. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';

  constructor(
    message: string,
    /** The end of what the build said. */
    readonly output = '',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The reason and the last lines before it. */
  get detail(): string {
    const end = readable(this.output).slice(-shownOutput);
    return end ? `${this.message.slice(0, 1_000)}\n\n${end}` : this.message;
  }
}

/** What the tool says of itself and of the docker command. */
const aside = new RegExp(
  [
    '^@devcontainers/cli ',
    '^Start: Run: docker ',
    '^Error: Command failed: ',
    '^ +at .*devContainersSpecCLI',
    '^DEPRECATED: The legacy builder',
    '^ +Install the buildx component',
    '^ +https://docs.docker.com/go/buildx',
  ].join('|'),
);

/** Output for people: without the times before its lines, colours, and what the tool says of itself. */
export function readable(output: string): string {
  return output
    .replace(/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] ?/gm, '')
    .replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g'), '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .filter((line) => !aside.test(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

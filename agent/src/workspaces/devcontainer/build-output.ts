import type { ProvisionContext } from '../runtime.js';

const shownOutput = 3_000;

/**
 * The repository's dev container cannot be built. The message is for the owner of the workspace.
 */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';

  constructor(
    message: string,
    /** The end of the build's output. */
    readonly output = '',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The reason, and the last lines of output. */
  get detail(): string {
    const end = readable(this.output).slice(-shownOutput);
    return end ? `${this.message.slice(0, 1_000)}\n\n${end}` : this.message;
  }
}

/** The classic builder cannot build the Dockerfile, and BuildKit could. */
export class BuildNeedsBuildKit extends BuildFailed {}

/** Messages of the tool and of the docker command about themselves. */
const toolNoise = new RegExp(
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

/** Output without timestamps, colours and the tool's messages about itself. */
export function readable(output: string): string {
  return output
    .replace(/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] ?/gm, '')
    .replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g'), '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .filter((line) => !toolNoise.test(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

/** Keeps the end of a long output in bounded memory. */
export class OutputTail {
  private kept = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.kept, chunk]);
    // A copy, so that the rest of the buffer can be freed.
    this.kept = all.length > this.maxBytes ? Buffer.from(all.subarray(-this.maxBytes)) : all;
  }

  get text(): string {
    return this.kept.toString('utf8');
  }
}

const intervalMs = 10_000;
const maxCharacters = 4_000;

/** Writes the end of an output to the boot log every 10 s, and the rest at disposal. */
export class BuildOutputReport implements AsyncDisposable {
  private fresh = '';
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly context: Pick<ProvisionContext, 'report' | 'signal' | 'output'>,
    private readonly message: string,
  ) {
    this.timer = setInterval(() => this.flush(), intervalMs);
  }

  add(text: string): void {
    this.context.output(text);
    // Twice what is shown: timestamps and colours are removed later.
    this.fresh = (this.fresh + text).slice(-2 * maxCharacters);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    if (!this.context.signal.aborted) this.flush();
  }

  private flush(): void {
    const detail = readable(this.fresh).trim().slice(-maxCharacters);
    this.fresh = '';
    if (!detail) return;
    this.context.report({ step: 'devcontainer_output', status: 'completed', message: this.message, detail });
  }
}

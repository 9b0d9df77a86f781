import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkExit, type WorkspaceCommands } from '../files/workspace-commands.js';
import type { CommandExit } from '../workspaces/runtime.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { FoundEntry } from './snapshot-budget.js';

const timeoutMs = 10 * 60_000;
const listLimitBytes = 32 * 1_024 * 1_024;

interface ShellScript {
  readonly text: string;
  readonly args?: readonly string[];
  readonly workDir: string;
  readonly input?: Readable | Buffer;
}

/** Kind, rights and size of each named file, a line each and in their order. Names come on standard input. */
const statScript = `
if stat -c %n / >/dev/null 2>&1; then exec xargs -0 stat -c '%f %s'; else exec xargs -0 stat -f '%Xp %z'; fi`;

/** Scripts of snapshots in one workspace, as its user. */
export class WorkspaceShell {
  constructor(
    private readonly commands: WorkspaceCommands,
    readonly workspace: Workspace,
  ) {}

  get place() {
    return this.commands.place(this.workspace);
  }

  /** The whole output. @throws when the script fails */
  async read(script: ShellScript): Promise<Buffer> {
    const { end, output } = await this.run(script);
    checkExit(end);
    return output;
  }

  /** The lines of the output that hold something. */
  async lines(script: ShellScript): Promise<string[]> {
    return (await this.read(script)).toString().split('\n').filter(Boolean);
  }

  /** Names that the script ends with NUL. */
  async names(script: ShellScript): Promise<string[]> {
    return (await this.read(script)).toString().split('\0').filter(Boolean);
  }

  /** How it ended, which is no error here. */
  async run(script: ShellScript): Promise<{ readonly end: CommandExit; readonly output: Buffer }> {
    const running = await this.open(script);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of running.stdout) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > listLimitBytes) throw new Error('A script of a snapshot said more than is taken');
    }
    return { end: await running.ended, output: Buffer.concat(chunks) };
  }

  /** Its output as it comes, which fails at its end when the script does. */
  async stream(script: ShellScript): Promise<Readable> {
    const running = await this.open(script);
    const output = new PassThrough();
    pipeline(running.stdout, output, { end: false })
      .then(async () => {
        const { exitCode, stderr } = await running.ended;
        if (exitCode !== 0)
          throw new Error(`A script of a snapshot ended with ${exitCode}: ${stderr.slice(-300)}`);
        output.end();
      })
      .catch((error: Error) => output.destroy(error));
    return output;
  }

  private async open({ text, args = [], workDir, input }: ShellScript) {
    const running = await this.commands.open(this.workspace, {
      argv: ['/bin/sh', '-c', text, 'sh', ...args],
      timeoutMs,
      workDir,
      hasInput: input !== undefined,
    });
    // A script that ends before it has read all: how it ended tells.
    if (Buffer.isBuffer(input)) running.stdin.end(input);
    else if (input) pipeline(input, running.stdin).catch(() => running.stdout.destroy());
    return running;
  }

  /** What the named files are. @throws when one of them is gone meanwhile */
  async describe(paths: readonly string[], workDir: string): Promise<FoundEntry[]> {
    if (paths.length === 0) return [];
    const input = namesEndedByNul(paths);
    const lines = await this.lines({ text: statScript, workDir, input });
    if (lines.length !== paths.length) throw new Error('Files changed while they were listed');
    return paths.map((path, index) => {
      const [mode = '', size = ''] = (lines[index] ?? '').split(' ');
      return { path, mode: Number.parseInt(mode, 16), sizeBytes: Number(size) };
    });
  }
}

/** With \`./\` before each, so that no name is taken for an option. */
export function namesEndedByNul(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `./${path}\0`).join(''));
}

/** As a tar, which fails when a file changed or went while it was read. */
export async function packFiles(
  shell: WorkspaceShell,
  folder: string,
  entries: readonly FoundEntry[],
): Promise<Readable> {
  if (entries.length === 0) return Readable.from([]);
  // A line each, and each begins with `./`: GNU tar and BusyBox both take that.
  const input = Buffer.from(entries.map(({ path }) => `./${path}\n`).join(''));
  return shell.stream({ text: 'exec tar -cf - -T -', workDir: folder, input });
}

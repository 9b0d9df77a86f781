import { randomUUID } from 'node:crypto';
import { pipeline, Transform, type TransformCallback } from 'node:stream';
import type Docker from 'dockerode';
import { ByteBudget } from '../../streams/byte-budget.js';
import { type Command, commandEnvironment, keptStderrBytes, type RunningCommand } from '../runtime.js';
import { endExec } from './end-exec.js';
import { signalMarkedProcesses } from './signal-marked.js';

/** Environment variable of each such program and of its children. */
const commandMarker = 'SVC_COMMAND';

/** Runs a program in the container as the container's user. */
export async function startInContainer(
  container: Docker.Container,
  command: Command,
): Promise<RunningCommand> {
  const { argv, hasInput, asRoot, outputBytes } = command;
  const marker = randomUUID();
  const user = asRoot ? { User: '0' } : {};
  const exec = await container.exec({
    Cmd: [...argv],
    Env: Object.entries({ ...commandEnvironment, [commandMarker]: marker }).map((entry) => entry.join('=')),
    WorkingDir: '/',
    ...user,
    AttachStdin: hasInput,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  });
  const stream = await exec.start({ hijack: true, stdin: hasInput, Tty: false });
  const stdout = new ExecOutput(new ByteBudget(outputBytes));
  const read = new Promise<void>((resolve, reject) => {
    pipeline(stream, stdout, (error) => {
      // Without a reader the connection is useless too.
      stream.destroy();
      if (!error) return resolve();
      endProgram({ container, exec, marker, user });
      reject(error);
    });
  });
  const ended = read.then(async () => ({
    exitCode: (await exec.inspect()).ExitCode,
    stderr: stdout.stderr,
  }));
  // Readers receive the error too; without a listener it would end the agent.
  stdout.on('error', () => undefined);
  // A caller that stops reading early does not need the exit code.
  ended.catch(() => undefined);
  return { stdin: stream, stdout, ended };
}

interface RunningProgram {
  readonly container: Docker.Container;
  readonly exec: Docker.Exec;
  readonly marker: string;
  readonly user: { readonly User?: string };
}

/**
 * The engine keeps a program running whose client has disconnected, and discards its output. The
 * container's own tools find all processes of the program, but its root can replace them.
 */
function endProgram({ container, exec, marker, user }: RunningProgram): void {
  const argv = signalMarkedProcesses('KILL', `^${commandMarker}=${marker}$`);
  const byContainer = async () => (await container.exec({ Cmd: argv, ...user })).start({ Detach: true });
  endExec(exec)
    .then(byContainer)
    // Without engine or container the program is gone; otherwise its own timeout ends it.
    .catch(() => undefined);
}

const headerBytes = 8;
const stderrKind = 2;

/**
 * Separates the two streams that Docker sends as one: frames of kind, three zeros, length and
 * bytes. Standard output is passed on with backpressure; of standard error the end is kept.
 * https://docs.docker.com/reference/api/engine/ (attach, "Stream format")
 */
export class ExecOutput extends Transform {
  stderr = '';
  private header = Buffer.alloc(0);
  private kind = 0;
  private left = 0;

  constructor(
    private readonly budget: ByteBudget,
    private readonly onStderr: (chunk: Buffer) => void = () => undefined,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.left > 0 ? this.takeBytes(rest) : this.takeHeader(rest);
    done(this.budget.failure);
  }

  private takeHeader(chunk: Buffer): Buffer {
    const missing = headerBytes - this.header.length;
    this.header = Buffer.concat([this.header, chunk.subarray(0, missing)]);
    if (this.header.length === headerBytes) {
      this.kind = this.header[0] ?? 0;
      this.left = this.header.readUInt32BE(4);
      this.header = Buffer.alloc(0);
    }
    return chunk.subarray(missing);
  }

  private takeBytes(chunk: Buffer): Buffer {
    const bytes = chunk.subarray(0, this.left);
    this.left -= bytes.length;
    this.budget.count(bytes.length);
    if (this.kind !== stderrKind) this.push(bytes);
    else {
      this.stderr = (this.stderr + bytes).slice(-keptStderrBytes);
      this.onStderr(bytes);
    }
    return chunk.subarray(bytes.length);
  }
}

import { randomUUID } from 'node:crypto';
import { pipeline, Transform, type TransformCallback } from 'node:stream';
import type Docker from 'dockerode';
import { AgentError } from '../../errors.js';
import {
  type Command,
  commandEnvironment,
  keptStderrBytes,
  type RunningCommand,
  type WorkspacePlace,
  type WorkspaceRunner,
} from '../runtime.js';
import type { Workspace } from '../workspace.js';
import { workDirOf } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { awayStatuses, hasStatus, isEngineUnavailable } from './docker-errors.js';
import { dockerName, workspacesMount } from './docker-names.js';
import { signalMarkedProcesses } from './signal-marked.js';

/** Runs programs inside the workspace's container, on its volume. */
export class ContainerRunner implements WorkspaceRunner {
  constructor(
    private readonly engine: DockerEngine,
    private readonly nameOf = dockerName,
  ) {}

  place(workspace: Workspace): WorkspacePlace {
    return { root: workspacesMount, workDir: workDirOf(workspace) };
  }

  /**
   * @throws AgentError unavailable when engine or container cannot be reached, as during a restart
   */
  async run(workspace: Workspace, command: Command): Promise<RunningCommand> {
    const container = this.engine.docker.getContainer(this.nameOf(workspace.workspaceId));
    try {
      return await startInContainer(container, command);
    } catch (cause) {
      if (!isEngineUnavailable(cause) && !hasStatus(cause, awayStatuses)) throw cause;
      throw new AgentError(
        'unavailable',
        'The container of the workspace is not reachable. Try again when it runs',
        { cause },
      );
    }
  }
}

/** Environment variable of each such program and of its children. */
const commandMarker = 'SVC_COMMAND';

/** Runs a program in the container as the container's user. */
export async function startInContainer(
  container: Docker.Container,
  command: Command,
): Promise<RunningCommand> {
  const { argv, hasInput, asRoot } = command;
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
  const stdout = new ExecOutput();
  const read = new Promise<void>((resolve, reject) => {
    pipeline(stream, stdout, (error) => {
      // Without a reader the connection is useless too.
      stream.destroy();
      if (!error) return resolve();
      endProgram(container, marker, user);
      reject(error);
    });
  });
  const ended = read.then(async () => ({
    exitCode: (await exec.inspect()).ExitCode,
    stderr: stdout.stderr,
  }));
  // A caller that stops reading early does not need the exit code.
  ended.catch(() => undefined);
  return { stdin: stream, stdout, ended };
}

/** The engine keeps a program running whose client has disconnected, and discards its output. */
function endProgram(container: Docker.Container, marker: string, user: { User?: string }): void {
  const argv = signalMarkedProcesses('KILL', `^${commandMarker}=${marker}$`);
  container
    .exec({ Cmd: argv, ...user })
    .then((exec) => exec.start({ Detach: true }))
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

  constructor(private readonly onStderr: (chunk: Buffer) => void = () => undefined) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.left > 0 ? this.takeBytes(rest) : this.takeHeader(rest);
    done();
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
    if (this.kind !== stderrKind) this.push(bytes);
    else {
      this.stderr = (this.stderr + bytes).slice(-keptStderrBytes);
      this.onStderr(bytes);
    }
    return chunk.subarray(bytes.length);
  }
}

import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream';
import type Docker from 'dockerode';
import { type Command, commandEnvironment, type RunningCommand } from '../command.js';
import { ExecOutput } from './exec-output.js';
import { signalMarked } from './signal-marked.js';

/** In the environment of each such program and of what it starts. */
const commandMark = 'SVC_COMMAND';

/** Runs a program in the container as the container's user. */
export async function startInContainer(
  container: Docker.Container,
  command: Command,
): Promise<RunningCommand> {
  const { argv, hasInput, asRoot } = command;
  const mark = randomUUID();
  const user = asRoot ? { User: '0' } : {};
  const exec = await container.exec({
    Cmd: [...argv],
    Env: Object.entries({ ...commandEnvironment, [commandMark]: mark }).map((entry) => entry.join('=')),
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
      // Without a reader the connection is of no use either.
      stream.destroy();
      if (!error) return resolve();
      endProgram(container, mark, user);
      reject(error);
    });
  });
  const ended = read.then(async () => ({
    exitCode: (await exec.inspect()).ExitCode,
    stderr: stdout.stderr,
  }));
  // Whoever stops reading early need not care how it ended.
  ended.catch(() => undefined);
  return { stdin: stream, stdout, ended };
}

/** The engine lets a program work on that has lost whom it worked for, and throws away what it says. */
function endProgram(container: Docker.Container, mark: string, user: { User?: string }): void {
  const argv = signalMarked('KILL', `^${commandMark}=${mark}$`);
  container
    .exec({ Cmd: argv, ...user })
    .then((exec) => exec.start({ Detach: true }))
    // Without the engine or the container there is no program either; else its own time-out ends it.
    .catch(() => undefined);
}

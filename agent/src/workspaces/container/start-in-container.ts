import { pipeline } from 'node:stream';
import type Docker from 'dockerode';
import { type Command, commandEnvironment, type RunningCommand } from '../command.js';
import { ExecOutput } from './exec-output.js';

/** Runs a program in the container as the container's user. */
export async function startInContainer(
  container: Docker.Container,
  command: Command,
): Promise<RunningCommand> {
  const { argv, workDir, hasInput, asRoot } = command;
  const exec = await container.exec({
    Cmd: [...argv],
    Env: Object.entries(commandEnvironment).map(([name, value]) => `${name}=${value}`),
    WorkingDir: workDir,
    ...(asRoot ? { User: '0' } : {}),
    AttachStdin: hasInput,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  });
  const stream = await exec.start({ hijack: true, stdin: hasInput, Tty: false });
  const stdout = new ExecOutput();
  const read = new Promise<void>((resolve, reject) => {
    pipeline(stream, stdout, (error) => {
      // Without a reader the connection is of no use either, and its end ends the program.
      stream.destroy();
      if (error) reject(error);
      else resolve();
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

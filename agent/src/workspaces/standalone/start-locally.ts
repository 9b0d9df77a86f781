import { constants } from 'node:os';
import { endGroup } from '../../node/end-group.js';
import { spawn } from '../../node/process-priority.js';
import { type Command, commandEnvironment, keptStderrBytes, type RunningCommand } from '../command.js';

/** Runs a program on this machine with the environment of a workspace. */
export function startLocally(command: Command, env: Readonly<Record<string, string>>): RunningCommand {
  const [file = '', ...args] = command.argv;
  // A process group of its own: what the program starts ends with it.
  const child = spawn(file, args, {
    detached: true,
    cwd: '/',
    env: { ...env, ...commandEnvironment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-keptStderrBytes);
  });
  // A program that ends before it has read all: its exit code tells.
  child.stdin.on('error', () => undefined);
  if (!command.hasInput) child.stdin.end();
  child.stdout.once('close', () => {
    if (!child.stdout.readableEnded) endGroup(child.pid);
  });
  const ended = new Promise<{ exitCode: number | null; stderr: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ exitCode: code ?? codeOf(signal), stderr }));
  });
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

/** As shells and the engine tell it; to say nothing would pass for having been well. */
function codeOf(signal: NodeJS.Signals | null): number | null {
  return signal && 128 + constants.signals[signal];
}

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaptopError } from './laptop-error.js';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Begins the sentence that a failure is told with. */
  readonly title: string;
}

/** Runs a command to its end, its output in a file. @throws {LaptopError} with the end of that output */
export async function runCommand({ command, args, cwd, env, logFile, title }: Command): Promise<void> {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const killWithUs = () => child.kill();
  process.once('exit', killWithUs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  process.removeListener('exit', killWithUs);
  const output = Buffer.concat(chunks).toString('utf8');
  mkdirSync(dirname(logFile), { recursive: true });
  writeFileSync(logFile, output);
  if (code === 0) return;
  const end = output.trim().split('\n').slice(-25).join('\n');
  throw new LaptopError(
    `${title} failed (exit code ${code}). All of its output is in ${logFile}; it ended with:\n\n${end}`,
  );
}

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LaptopError } from './laptop-error.js';

const endWithParent = join(dirname(fileURLToPath(import.meta.url)), 'processes/end-with-parent.mjs');

export interface Command {
  /** The Node that runs it. */
  readonly node: string;
  /** A file of JavaScript, after options of Node's own. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Subject of the error message. */
  readonly title: string;
}

/**
 * Runs a program to its end, its output in a file. It and all that it started end with this
 * process, however that dies.
 * @throws {LaptopError} with the end of that output
 */
export async function runCommand({ node, args, cwd, env, logFile, title }: Command): Promise<void> {
  const child = spawn(node, ['--import', endWithParent, ...args], {
    cwd,
    env,
    // A group of its own: it can be ended whole, and Ctrl-C is for us alone to answer.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const output = Buffer.concat(chunks).toString('utf8');
  mkdirSync(dirname(logFile), { recursive: true });
  writeFileSync(logFile, output);
  if (code === 0) return;
  const end = output.trim().split('\n').slice(-25).join('\n');
  throw new LaptopError(
    `${title} failed (exit code ${code}). All of its output is in ${logFile}; it ended with:\n\n${end}`,
  );
}

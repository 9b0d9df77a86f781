import { spawn } from 'node:child_process';

interface ToolOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a tool to its end and gives what it printed. @throws with its last lines when it fails */
export function runTool(file: string, args: readonly string[], options: ToolOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(printed);
      const lines = `${printed}${errors}`.trim().split('\n').slice(-12).join('\n');
      reject(new Error(`${file} ${args[0] ?? ''} ended with ${code ?? signal}\n${lines}`));
    });
  });
}

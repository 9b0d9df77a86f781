import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds everything that is deployed: functions, node agent, console; and the client that the package exports. They know nothing of each other and run
 * side by side; any that fails fails the build, after its whole output.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = ['build-lambdas', 'build-agent', 'build-web', 'build-client'];

const results = await Promise.all(parts.map(build));
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

async function build(part: string): Promise<number> {
  const script = `scripts/${part}.ts`;
  if (!existsSync(join(root, script))) {
    console.log(`${part}: not part of this checkout`);
    return 0;
  }
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...process.argv.slice(2)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number>((resolve) => child.once('close', (exit) => resolve(exit ?? 1)));
  console.log(
    `${part}: ${code === 0 ? 'done' : 'failed'}\n${Buffer.concat(chunks).toString('utf8').trimEnd()}`,
  );
  return code;
}

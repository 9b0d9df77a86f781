import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stampBuild } from '../local/deployment/build-stamp.js';

/**
 * Builds everything that is deployed (functions, node agent, console) and the client that the
 * package exports, in parallel. The build fails when a part fails, after the output of all parts.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = ['build-lambdas', 'build-agent', 'build-web', 'build-client'];

const results = await Promise.all(parts.map(build));
const isWhole = results.every((code) => code === 0);
if (isWhole) stampBuild(root);
process.exitCode = isWhole ? 0 : 1;

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

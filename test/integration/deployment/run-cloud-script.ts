import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Runs a script of scripts/cloud in a folder with a cdk.json of its own, without a terminal. */
export async function runCloudScript(cwd: string, name: string, args: readonly string[]) {
  const tsx = join(process.cwd(), 'node_modules/tsx/dist/cli.mjs');
  const script = join(process.cwd(), 'scripts/cloud', name);
  const child = spawn(process.execPath, [tsx, script, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = await once(child, 'close');
  return { code, output };
}

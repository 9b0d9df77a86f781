import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

interface DemoAgentOptions {
  /** A folder of this machine. */
  readonly folder: string;
  /** The same folder as workspaces see it: another where they are containers. */
  readonly mountedAt: string;
}

/**
 * Puts the demo agent into a folder with the Node that runs it, and returns the setting with which
 * the nodes of the laptop start it where a task asks for OpenCode.
 */
export async function installDemoAgent({ folder, mountedAt }: DemoAgentOptions) {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    outfile: join(folder, 'main.mjs'),
    ...{ bundle: true, platform: 'node', target: 'node24', format: 'esm', logLevel: 'warning' },
  });
  const isElsewhere = folder !== mountedAt;
  if (isElsewhere) addNode(join(folder, 'node'));
  const node = isElsewhere ? join(mountedAt, 'node') : process.execPath;
  return { ACP_COMMAND_OVERRIDES: JSON.stringify({ opencode: [node, join(mountedAt, 'main.mjs')] }) };
}

/** A container has none, or an old one. An interrupted copy leaves no half of one. */
function addNode(path: string): void {
  if (existsSync(path)) return;
  copyFileSync(process.execPath, `${path}.new`);
  renameSync(`${path}.new`, path);
}

import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles the node agent into dist/agent/main.js. Only what holds native code stays outside: the pseudo terminals,
 * found in node_modules beside or above the bundle. Gives the bundle's path.
 */
export async function buildAgent(): Promise<string> {
  const outfile = join(root, 'dist/agent/main.js');
  await build({
    entryPoints: [join(root, 'agent/src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: true,
    legalComments: 'none',
    // SSH to a Docker engine is not used, and its client would bring more native code.
    external: ['@lydell/node-pty'],
    alias: { ssh2: join(root, 'agent/src/node/no-ssh.cjs') },
    define: { 'process.env.BERTH_AGENT_VERSION': JSON.stringify(version()) },
    banner: {
      // Bundled CommonJS packages ask for Node's own modules by require.
      js: "import { createRequire as berthCreateRequire } from 'node:module'; const require = berthCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return `${manifest.version}+${execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8', stdio }).trim()}`;
  } catch {
    // Not a checkout: the version alone must do.
    return manifest.version;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`Built ${await buildAgent()}`);
}

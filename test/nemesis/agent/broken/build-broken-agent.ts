import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const brokenStore = fileURLToPath(new URL('write-behind-store.ts', import.meta.url));

/** The agent with a store of receipts that must not be: for the checker to find. */
export async function buildBrokenAgent(how: 'after_the_turn' | 'some_time_later'): Promise<string> {
  // Beside node_modules, where the pseudo terminals are found.
  const outfile = join(mkdtempSync(join(root, '.cache/broken-agent-')), 'main.js');
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'agent/src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: ['@lydell/node-pty'],
    alias: { ssh2: join(root, 'agent/src/node/no-ssh.cjs') },
    define: { berthBroken: JSON.stringify(how), 'process.env.BERTH_AGENT_VERSION': '"broken"' },
    banner: {
      js: "import { createRequire as berthCreateRequire } from 'node:module'; const require = berthCreateRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'broken-store',
        setup: ({ onResolve }) => {
          onResolve({ filter: /\/receipt-store\.js$/ }, ({ importer }) =>
            importer === brokenStore ? undefined : { path: brokenStore },
          );
        },
      },
    ],
    logLevel: 'error',
  });
  return outfile;
}

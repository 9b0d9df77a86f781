// `node scripts/run.mjs <tool> [arguments]`: runs a tool of node_modules/.bin with Node 24 first on
// its PATH, and passes signals and the exit code through.
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules/.bin');

/** The environment in which `node` is the Node of package.json. */
export const withNode = (env = process.env) => ({
  ...env,
  PATH: `${join(root, 'node_modules/node/bin')}${delimiter}${bin}${delimiter}${env.PATH}`,
});

export function run(tool, args, env = process.env) {
  const child = spawn(join(bin, tool), args, { cwd: root, env: withNode(env), stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // The terminal sends Ctrl-C to the child as well; this process must only outlive it.
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  }
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tool, ...args] = process.argv.slice(2);
  process.exitCode = await run(tool, args);
}

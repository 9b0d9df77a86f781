import { execFileSync, type StdioOptions } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { executedContracts } from './executed-contracts.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles the node agent into a file, with the dev container tool beside it, and gives the file.
 * Only what holds native code stays outside: the pseudo terminals, found in node_modules beside or
 * above the bundle. `plugins`: for agents that tests break on purpose.
 */
export async function buildAgent(outfile: string, plugins: BuildOptions['plugins'] = []): Promise<string> {
  const options = common();
  await build({
    ...options,
    plugins: [...plugins, ...options.plugins, builtinsByRequire],
    outfile,
    format: 'esm',
    sourcemap: true,
    banner: {
      // Bundled CommonJS packages ask for Node's own modules by require.
      js: "import { createRequire as berthCreateRequire } from 'node:module'; const require = berthCreateRequire(import.meta.url);",
    },
  });
  // A program of its own; it finds its parts beside its own start file.
  cpSync(join(root, 'node_modules/@devcontainers/cli'), join(dirname(outfile), 'devcontainer-cli'), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  });
  return outfile;
}

/**
 * Bundles it for a single executable: CommonJS, with nothing outside but what the executable itself
 * carries.
 */
export async function buildPackedAgent(outfile: string): Promise<void> {
  const options = common();
  await build({
    ...options,
    outfile,
    format: 'cjs',
    sourcemap: false,
    // Where a CommonJS module is.
    define: { ...options.define, 'import.meta.url': '__filename' },
  });
}

const notNeeded = [
  // They would bring more native code (SSH) and memory (ten megabytes for BuildKit over gRPC, four
  // for HTTP/2).
  ...['ssh2', '@grpc/grpc-js', '@grpc/proto-loader', 'protobufjs', 'node:http2'],
  // What Fastify has for schemas of its own, for its own log, for its plugins' demands on its
  // version and for tests: a fifth of the bundle.
  ...['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'pino', 'semver', 'light-my-request'],
];

function common() {
  return {
    absWorkingDir: root,
    entryPoints: [join(root, 'agent/src/main.ts')],
    bundle: true,
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    alias: {
      ...Object.fromEntries(notNeeded.map((name) => [name, join(root, 'agent/src/node/not-needed.cjs')])),
      // A copy of what Node has.
      'readable-stream': 'node:stream',
    },
    // The engine keeps the text of what it runs. Names stay, for the log.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'process.env.BERTH_AGENT_VERSION': JSON.stringify(agentVersion()) },
    logLevel: 'warning',
    plugins: [withoutLanguages, executedContracts],
  } as const satisfies BuildOptions;
}

/** Half a megabyte of messages in fifty languages, none of which is ever said. */
const withoutLanguages: Plugin = {
  name: 'without-languages',
  setup: ({ onLoad }) => {
    onLoad({ filter: /node_modules\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * To import these Node evaluates every name that they export. Among those of `node:http` is
 * `WebSocket`, with which comes the HTTP client of `fetch`: fourteen megabytes in a process that
 * has nothing else. To require them evaluates what is used.
 */
const builtinsByRequire: Plugin = {
  name: 'builtins-by-require',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:(?:http|util)$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** The package's version and the commit that is checked out. */
export function agentVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return `${manifest.version}+${execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8', stdio }).trim()}`;
  } catch {
    // Not a checkout: the version alone must do.
    return manifest.version;
  }
}

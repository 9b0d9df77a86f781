import { type BuildOptions, build, type Metafile } from 'esbuild';
import { functionFiles, sourceExistsIn } from '../../infra/function-files.js';

/** What a change of some source files reaches. */
export interface Reach {
  /** As in `functionFiles`. */
  readonly functions: readonly string[];
  readonly agent: boolean;
  readonly console: boolean;
  /** Files that the CDK app reads: their change needs a deployment. */
  readonly deployment: readonly string[];
}

const options = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node24',
  outdir: 'dist',
  metafile: true,
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/**
 * More functions than this are looked at closely: many import a shared module and use nothing of
 * what changed.
 */
const closeLookFrom = 8;

/** Finds what the files are part of, by the imports of everything that is deployed. */
export async function reachOf(root: string, files: readonly string[]): Promise<Reach> {
  const functions = functionFiles.filter(sourceExistsIn(root)).map((name) => `lambdas/${name}.ts`);
  const entries = [...functions, 'agent/src/main.ts', 'web/src/app/main.tsx', 'infra/app.ts'];
  const contents = entries.map((entry) => `import './${entry}';`).join('\n');
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, sourcefile: 'everything.ts' },
  });
  const importers = importersOf(metafile, files);
  const reached = functions.filter((file) => importers.has(file));
  const exact = reached.length < closeLookFrom ? reached : await withCodeOf(root, reached, files);
  return {
    functions: exact.map((file) => file.replace(/^lambdas\//, '').replace(/\.ts$/, '')),
    agent: importers.has('agent/src/main.ts'),
    console: importers.has('web/src/app/main.tsx') || files.some((file) => file.startsWith('web/')),
    deployment: files.filter(
      (file) =>
        importersOf(metafile, [file]).has('infra/app.ts') ||
        /^(?:state-machines\/|infra\/|cdk\.json$)/.test(file),
    ),
  };
}

/** These files and all that import them, directly or not. */
function importersOf({ inputs }: Metafile, files: readonly string[]): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const [file, { imports }] of Object.entries(inputs))
    for (const { path } of imports) importers.set(path, [...(importers.get(path) ?? []), file]);
  const found = new Set(files);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return found;
}

/** Those of the entries whose bundle has code of one of the files. */
async function withCodeOf(root: string, entries: readonly string[], files: readonly string[]) {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: [...entries],
    outbase: root,
  });
  return entries.filter((entry) => {
    const { inputs = {} } = metafile.outputs[`dist/${entry.replace(/\.ts$/, '.js')}`] ?? {};
    return files.some((file) => file in inputs);
  });
}

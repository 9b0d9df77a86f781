import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * `npm run generate`: writes every generated file. `--check` writes nothing, names each stale file
 * and fails when there is one.
 */
const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const checkFlag = isCheck ? ['--check'] : [];
const snapshotFlag = isCheck ? [] : ['--update'];

interface Generator {
  readonly files: string;
  readonly command: readonly string[];
}

const generators: readonly Generator[] = [
  { files: 'client/operations.ts', command: ['tsx', 'scripts/client-types.ts', ...checkFlag] },
  { files: 'infra/deployed-names.json', command: ['tsx', 'scripts/deployed-names.ts', ...checkFlag] },
  { files: 'docs/routes.md', command: ['tsx', 'scripts/routes-page.ts', ...checkFlag] },
  { files: 'docs/interface-coverage.md', command: ['tsx', 'scripts/interface-coverage.ts', ...checkFlag] },
  {
    files: 'docs/agent-settings.md, docs/agent-api.md, docs/agent-sockets.md',
    command: ['tsx', 'scripts/agent-pages.ts', ...checkFlag],
  },
  {
    files: 'docs/limits.md, docs/record-bounds.md',
    command: [
      ...['vitest', 'run', '--project', 'unit'],
      ...['lambdas/limits-page.test.ts', 'lambdas/record-bounds.test.ts', ...snapshotFlag],
    ],
  },
];

const failed = (await Promise.all(generators.map(run))).flat();
if (failed.length > 0) {
  for (const each of failed)
    console.error(isCheck ? staleFiles(each) : `Failed: ${each.files}\n${each.output}`);
  if (isCheck) console.error('Run: npm run generate');
  process.exitCode = 1;
} else console.log(isCheck ? 'Every generated file is current.' : generators.map(written).join('\n'));

interface Failed extends Generator {
  readonly output: string;
}

/** Gives the generator with its output when its command fails. */
async function run(generator: Generator): Promise<readonly Failed[]> {
  const [tool = '', ...args] = generator.command;
  const child = spawn(join(root, 'node_modules/.bin', tool), args, { cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return code === 0 ? [] : [{ ...generator, output }];
}

function written({ files }: Generator): string {
  return `Generated: ${files}`;
}

/** A generator of several files names the stale ones itself. */
function staleFiles({ files, output }: Failed): string {
  return output.match(/^.* is stale/gm)?.join('\n') ?? `${files} is stale`;
}

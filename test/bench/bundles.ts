import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { sourceMapsEnvironment } from '../../infra/constructs/service-function.js';
import { routes } from '../../lambdas/routes.js';
import { budgetKbOf } from '../../scripts/bundle-budget.js';
import { sagaArns } from '../support/sagas.js';
import { type Measurement, median } from './measurement.js';

/**
 * Size of every route bundle, and its import time against that of a bare DynamoDB document client,
 * in the same run and turn by turn, so that a slow machine slows both.
 */
const rounds = 15;

export async function measureBundles(root: string): Promise<readonly Measurement[]> {
  const bundles = findBundles(join(root, 'dist/lambdas/http')).map((file) => ({
    file,
    bytes: statSync(file).size,
  }));
  if (bundles.length === 0)
    throw new Error('No route bundles in dist/lambdas/http: run `npm run build` first');
  bundles.sort((a, b) => a.bytes - b.bytes);
  const largest = bundles[bundles.length - 1] ?? bundles[0];
  const middle = bundles[Math.floor(bundles.length / 2)] ?? bundles[0];
  if (!largest || !middle) throw new Error('unreachable: there is a bundle');

  const work = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  try {
    const baseline = await bareClient(root, work);
    const ratios = importRatios(baseline, [middle.file, largest.file], work);
    const name = (file: string) => relative(join(root, 'dist/lambdas'), file).replace('/index.mjs', '');
    return [
      { name: 'Bare document client, minified', value: kilobytes(statSync(baseline).size), unit: 'KB' },
      {
        name: `Largest route bundle (${name(largest.file)})`,
        value: kilobytes(largest.bytes),
        unit: 'KB',
        limit: budgetKbOf(name(largest.file)),
      },
      { name: `Median route bundle (${name(middle.file)})`, value: kilobytes(middle.bytes), unit: 'KB' },
      {
        name: 'Source map of the largest route bundle',
        value: kilobytes(statSync(`${largest.file}.map`).size),
        unit: 'KB',
      },
      {
        name: 'Import of the median bundle / bare client',
        value: ratios[0] ?? Number.NaN,
        unit: 'x',
        limit: 1.3,
      },
      {
        name: 'Import of the largest bundle / bare client',
        value: ratios[1] ?? Number.NaN,
        unit: 'x',
        limit: 2,
      },
    ];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const kilobytes = (bytes: number) => Math.round(bytes / 102.4) / 10;

function findBundles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('index.mjs'))
    .map((file) => join(folder, file));
}

async function bareClient(root: string, work: string): Promise<string> {
  mkdirSync(work, { recursive: true });
  const outfile = join(work, 'bare.mjs');
  await build({
    stdin: {
      contents: `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
        import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
        export const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));`,
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

/**
 * Each import in a process of its own, as a cold start is; the candidates and the baseline take
 * turns.
 */
function importRatios(baseline: string, candidates: readonly string[], cwd: string): number[] {
  const samples = candidates.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, candidate] of candidates.entries()) {
      const env = { ...lambdaEnv(candidate), ...sourceMapsEnvironment };
      samples[index]?.push(importMs(candidate, cwd, env) / importMs(baseline, cwd));
    }
  }
  return samples.map((ratios) => Math.round(median(ratios) * 100) / 100);
}

function importMs(file: string, cwd: string, env: Readonly<Record<string, string>> = {}): number {
  const script = `const t=performance.now();const m=await import(${JSON.stringify(pathToFileURL(file).href)});
    const ms=performance.now()-t;if(!m.handler&&!m.documents)throw new Error('It exports no handler');console.log(ms)`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Number(output.trim());
}

/**
 * What a function reads at load. The values only have to be of the right form: no request is made.
 */
function lambdaEnv(file: string): Record<string, string> {
  const route = routes.find((row) => file.includes(`/http/${row.file}/`));
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    TABLE_NAME: 'bench',
    PUBLIC_URL: 'http://localhost:8787',
    TOKEN_ISSUER: 'http://localhost:8787',
    WORKSPACE_URL_TEMPLATE: 'http://ws-{workspaceId}.localhost:8787',
    SIGNING_KEY_ARNS: 'arn:aws:kms:us-east-1:000000000000:key/bench',
    DATA_KEY_ARN: 'arn:aws:kms:us-east-1:000000000000:key/bench',
    CODE_HOST_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:bench',
    CODE_HOST_URL: 'http://localhost',
    CODE_HOST_API_URL: 'http://localhost',
    CODE_HOST_APP_SLUG: 'berth',
    ARTIFACTS_BUCKET: 'bench',
    ...sagaArns,
    DEPLOYMENT_ID: 'bench',
    SUPERADMINS: '1001',
    ORIGIN_SECRETS: 'bench'.repeat(8),
    WAKE_UP_QUEUE_URL: 'http://localhost/wake-ups.fifo',
    DELAYED_WAKE_UP_QUEUE_URL: 'http://localhost/delayed',
    ...(route && { ROUTE: JSON.stringify(route) }),
  };
}

// npm run test:dynamodb-local: the integration tests of the domain on AWS's own DynamoDB Local.
// Without Java or its archive it prints the reason and does nothing.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { installOrLeave } from './install.mjs';
import { root, run } from './run.mjs';
import { step } from './step.mjs';

const folder = join(root, '.cache/dynamodb-local');
/** Each kind of condition and transaction, and the races of placement. */
const quick = [
  ...['chats', 'event-wakes', 'events', 'inbox', 'members', 'projects', 'prompts', 'sign-in'],
  ...['tasks/drafts', 'tasks/run-again', 'tasks/submit'],
  ...['workspaces/races', 'workspaces/placement', 'workspaces/co-tenants', 'workspaces/deletion-claim'],
];
/** Invalid requests (`garbage`) are refused before a table call. */
const all = [...quick.filter((area) => !area.includes('/')), 'mcp', 'tasks', 'workspaces'];
const startTimeoutMs = 30_000;
/** For the table of `.ci/run`. */
const runFolder = process.env.BERTH_TEST_RUN;
const recorded = runFolder
  ? { BERTH_TEST_OUTCOME: join(runFolder, 'dynamodb-local.json'), BERTH_TEST_RING: 'DynamoDB Local' }
  : {};

/** The reason why it cannot run here, or nothing. */
function missing() {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (version < 17) return 'it needs Java 17 or later';
  if (spawnSync('mvn', ['--version']).status !== 0) return 'it needs Maven (mvn)';
  return download();
}

/** Maven gets the archive and its libraries; the default source is Maven Central. */
function download() {
  const pom = join(root, 'test/dynamodb-local/pom.xml');
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex');
  const stamp = join(folder, '.complete');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  const { status, stdout } = spawnSync('mvn', ['-q', '-B', '-f', pom, ...goal], { encoding: 'utf8' });
  if (status !== 0) return `Maven did not get the archive:\n${stdout}`;
  writeFileSync(stamp, hash);
  return undefined;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function start(port) {
  return spawn(
    'java',
    [
      `-Djava.library.path=${folder}`,
      '-cp',
      join(folder, '*'),
      'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
      ...['-inMemory', '-sharedDb', '-port', String(port)],
    ],
    { cwd: folder, stdio: 'ignore' },
  );
}

async function untilAnswers(url) {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`DynamoDB Local did not answer within ${startTimeoutMs / 1000} s.`);
}

await installOrLeave(root);
const reason = await step('DynamoDB Local', async () => missing());
if (reason) {
  console.log(`The tests on DynamoDB Local are skipped: ${reason}.`);
} else {
  const port = await freePort();
  const server = start(port);
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilAnswers(url);
    const chosen = process.argv.slice(2);
    const areas = process.env.DYNAMODB_LOCAL === 'all' ? all : quick;
    const paths =
      chosen.length > 0
        ? chosen
        : areas.map((area) => `test/integration/${area}${area.includes('/') ? '.test.ts' : '/'}`);
    process.exitCode = await run('vitest', ['run', '--project', 'integration', ...paths], {
      ...process.env,
      ...recorded,
      AWS_ENDPOINT_URL_DYNAMODB: url,
    });
  } finally {
    server.kill();
  }
}

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ulid } from 'ulid';
import { AgentProcess } from '../integration/agent/agent-process.js';
import { FakeControlPlane } from '../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../integration/agent/workspace-request.js';
import { until } from '../support/until.js';
import { type Measurement, median } from './measurement.js';

const run = promisify(execFile);
const folders = 1_000;
const filesPerFolder = 100;
const rounds = 9;

/** Status and find of 100,000 files: the agent's answer over HTTPS against git and find alone, turn by turn. */
export async function measureLargeRepository(): Promise<readonly Measurement[]> {
  await using fake = await FakeControlPlane.start();
  await using agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  await agent.start();
  const id = ulid();
  const management = await fake.management(id);
  await agent.call('POST', '/workspaces', management, await workspaceRequest(fake, id));
  await until('the workspace runs', async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return JSON.stringify(body).includes('"running"') || undefined;
  });
  const repository = join(agent.folder, 'workspaces', id, 'work', 'full');
  await fill(repository);
  const path = `/workspaces/${id}`;
  const get = async (route: string) => {
    const { status } = await agent.call('GET', `${path}/${route}`, management);
    if (status !== 200) throw new Error(`${route} answered ${status}`);
  };
  const statusArguments = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--find-renames'];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C.UTF-8' };
  const options = { cwd: repository, maxBuffer: 2 ** 28, env };
  const figures = [
    ...(await compare(
      'git status',
      () => run('git', statusArguments, options),
      () => get('git/status'),
    )),
    ...(await compare(
      'find',
      () => run('sh', ['-c', `find . ${plainFind}`], options),
      () => get('files/find?query=needle'),
    )),
  ];
  await agent.call('DELETE', path, management);
  return figures;
}

/** What the agent leaves out is left out here too. */
const plainFind =
  '\\( -name node_modules -o -name .git -o -name dist -o -name .next -o -name coverage -o -name __pycache__ ' +
  "-o -name vendor \\) -prune -o \\( -type f -o -type l \\) ! -name .DS_Store ! -name '*.pyc' -print0";

async function fill(repository: string): Promise<void> {
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(repository, `module-${Math.floor(folder / 30)}`, `folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesPerFolder; file += 1)
      writeFileSync(join(path, `source-file-${file}.ts`), `export const value = ${file};\n`);
  }
  await run('git', ['add', '-A'], { cwd: repository });
  const person = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
  await run('git', [...person, 'commit', '-qm', 'Many files'], { cwd: repository });
  writeFileSync(join(repository, 'needle.txt'), 'found');
  // The index remembers what it has seen unchanged, as after any status in an editor.
  await run('git', ['status'], { cwd: repository });
}

async function compare(
  name: string,
  alone: () => Promise<unknown>,
  agent: () => Promise<unknown>,
): Promise<readonly Measurement[]> {
  const samples: { readonly alone: number; readonly agent: number }[] = [];
  await alone();
  await agent();
  for (let round = 0; round < rounds; round += 1)
    samples.push({ alone: await timed(alone), agent: await timed(agent) });
  const ratio = median(samples.map((sample) => sample.agent / sample.alone));
  return [
    { name: `${name}, 100,000 files, alone, p50`, value: middle(samples.map((s) => s.alone)), unit: 'ms' },
    { name: `— by the agent, p50`, value: middle(samples.map((s) => s.agent)), unit: 'ms' },
    { name: `— agent / alone`, value: Math.round(ratio * 100) / 100, unit: 'x', limit: 1.5 },
  ];
}

const middle = (values: readonly number[]) => Math.round(median(values));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

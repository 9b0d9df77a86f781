import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ulid } from 'ulid';
import { AgentProcess } from '../integration/agent/agent-process.js';
import { baseImage, hasDocker } from '../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../integration/agent/workspace-request.js';
import { until } from '../support/until.js';
import { type Measurement, median } from './measurement.js';

const run = promisify(execFile);
const folders = 1_000;
const filesPerFolder = 100;
const rounds = 9;

type Run = (program: readonly string[]) => Promise<unknown>;

/**
 * Status and find of 100,000 files: the agent's answer over HTTPS against git and find alone, turn
 * by turn; as processes of this machine and, where there is an engine, in a container, where alone
 * means by `docker exec`.
 */
export async function measureLargeRepository(): Promise<readonly Measurement[]> {
  const figures = await measureIn('standalone');
  return hasDocker() ? [...figures, ...(await measureIn('workspace'))] : figures;
}

async function measureIn(role: 'standalone' | 'workspace'): Promise<readonly Measurement[]> {
  await using fake = await FakeControlPlane.start();
  await using agent = new AgentProcess(fake, {
    NODE_ROLE: role,
    DEFAULT_DEVCONTAINER_IMAGE: baseImage,
    WORKSPACE_NETWORK: 'host',
  });
  await agent.start();
  const id = ulid();
  const management = await fake.management(id);
  await agent.call('POST', '/workspaces', management, await workspaceRequest(fake, id));
  await until('the workspace runs', async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return JSON.stringify(body).includes('"running"') || undefined;
  });
  const there =
    role === 'standalone' ? here(join(agent.folder, 'workspaces', id, 'work', 'full')) : inside(id);
  await there(['sh', '-c', fill]);
  const get = async (route: string) => {
    const { status } = await agent.call('GET', `/workspaces/${id}/${route}`, management);
    if (status !== 200) throw new Error(`${route} answered ${status}`);
  };
  const status = ['git', 'status', '--porcelain=v1', '-z', '--untracked-files=all', '--find-renames'];
  const find = ['sh', '-c', `find . ${plainFind}`];
  const figures = [
    ...(await compare(
      `git status, 100,000 files, ${role}`,
      () => there(status),
      () => get('git/status'),
    )),
    ...(await compare(
      `find, 100,000 files, ${role}`,
      () => there(find),
      () => get('files/find?query=needle'),
    )),
  ];
  await agent.call('DELETE', `/workspaces/${id}`, management);
  return figures;
}

const quiet = { GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C.UTF-8' };

function here(cwd: string): Run {
  const options = { cwd, maxBuffer: 2 ** 28, env: { ...process.env, ...quiet } };
  return ([file = '', ...args]) => run(file, args, options);
}

function inside(id: string): Run {
  const env = Object.entries(quiet).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const exec = ['exec', ...env, '-w', '/workspaces/full', `svc-ws-${id}`];
  return (program) => run('docker', [...exec, ...program], { maxBuffer: 2 ** 28 });
}

/**
 * Tracked files in a thousand folders, one that git does not know, and an index that has seen them
 * all.
 */
const fill = `set -e
for folder in $(seq ${folders}); do
  mkdir -p "module-$((folder / 30))/folder-$folder"
  (cd "module-$((folder / 30))/folder-$folder" && seq -f 'source-file-%g.ts' ${filesPerFolder} | xargs touch)
done
git add -A
git -c user.name=Bench -c user.email=bench@example.com commit -qm 'Many files'
echo found >needle.txt
GIT_OPTIONAL_LOCKS=1 git status >/dev/null`;

/** What the agent leaves out is left out here too. */
const plainFind =
  '\\( -name node_modules -o -name .git -o -name dist -o -name .next -o -name coverage -o -name __pycache__ ' +
  "-o -name vendor \\) -prune -o \\( -type f -o -type l \\) ! -name .DS_Store ! -name '*.pyc' -print0";

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
    { name: `${name}, alone, p50`, value: middle(samples.map((s) => s.alone)), unit: 'ms' },
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

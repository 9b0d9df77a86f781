import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { baseImage, hasDocker } from '../../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { isLongRun } from '../run-length.js';
import { hostileRepositories, setupOf } from './hostile-settings.js';

const run = promisify(execFile);
const waiting = { timeout: 30_000, interval: 50 };
/** Refused by the same variable as the first protocol; tried in long runs only. */
const furtherProtocols = /ssh|git:|upload-pack|foreign/;
const slow = { timeout: 60_000 };

const roles = [
  { role: 'standalone', skip: false, environment: {} },
  {
    role: 'workspace',
    skip: !hasDocker(),
    environment: { DEFAULT_DEVCONTAINER_IMAGE: baseImage, WORKSPACE_NETWORK: 'host' },
  },
];

describe.each(roles.filter(({ skip }) => !skip))('git of a hostile repository, role $role', (setting) => {
  const id = ulid();
  const canary = `/tmp/canary-${id}`;
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  let token: string;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, {
      NODE_ROLE: setting.role,
      GIT_EXEC_TIMEOUT: '3s',
      GIT_WORKTREE_TIMEOUT: '5s',
      ...setting.environment,
    });
    await agent.start();
    const body = await workspaceRequest(fake, id);
    await agent.call('POST', '/workspaces', await fake.management(id), body);
    await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(1), waiting);
    token = await fake.terminal(id);
  });

  afterAll(async () => {
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id)).catch(() => undefined);
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  /** Runs a script in the repository as a user at a terminal; this process answers its requests. */
  async function shell(script: string): Promise<string> {
    const text = `export CANARY=${canary} REFUSING=${fake.url}/git/full.git\n${script}`;
    const timed = ['5', 'sh', '-c', text];
    if (setting.role === 'workspace') {
      const inside = ['exec', '-w', '/workspaces/full', `svc-ws-${id}`, 'timeout', ...timed];
      return (await run('docker', inside)).stdout.trim();
    }
    const cwd = `${agent.folder}/workspaces/${id}/work/full`;
    const env = { PATH: process.env.PATH, HOME: `${agent.folder}/workspaces/${id}/home` };
    return (await run('timeout', timed, { cwd, env })).stdout.trim();
  }

  /** Like a user at a terminal, for commands that the settings make fail. */
  const attempt = (script: string) => shell(`(${script}) >/dev/null 2>&1; true`);
  const call = (method: string, path: string, body?: object) =>
    agent.call(method, `/workspaces/${id}/${path}`, token, body);
  const canaries = async () => (await shell('ls "$CANARY"')).split('\n').filter(Boolean);

  /** Git processes that the agent has started in this repository. */
  const gitProcesses = async () =>
    Number(
      await shell(
        'grep -ls "GIT_WORK_TREE=$(pwd -P)" /proc/[0-9]*/environ | xargs -r -n1 dirname | while read -r p; do tr "\\0" " " <$p/cmdline; echo; done | grep -c "^git config"; true',
      ),
    );

  async function callEveryEndpoint(): Promise<Readonly<Record<string, number>>> {
    const statuses: Record<string, number> = {};
    const read = ['git/status', 'git/diff', 'git/diff?staged=true', 'git/diff?base=HEAD', 'git/branches'];
    const files = ['git/diff?path=unknown', 'git/file?path=hello.txt', 'git/file?path=ghost', 'worktrees'];
    for (const path of [...read, ...files]) statuses[path] = (await call('GET', path)).status;
    const made = await call('POST', 'worktrees', { branch: `w-${ulid()}`, createBranch: true });
    statuses.made = made.status;
    const worktree = encodeURIComponent(String(made.body.path ?? ''));
    if (made.status === 201) {
      statuses.inWorktree = (await call('GET', `git/status?worktree=${worktree}`)).status;
      statuses.removed = (await call('DELETE', `worktrees?path=${worktree}&force=true`)).status;
    }
    return statuses;
  }

  // Inside a container the same scripts run, with another user.
  const repositories = hostileRepositories.filter(
    ({ title }, index) =>
      isLongRun || (setting.role === 'standalone' ? !furtherProtocols.test(title) : index === 0),
  );

  it.each(repositories)('runs no program of the repository for $title', slow, async (repository) => {
    await shell('rm -rf ../kept ../elsewhere ../leading "$CANARY"; cp -a . ../kept');
    await attempt(setupOf(repository));
    await attempt(repository.trigger);
    const live = await canaries();
    await shell('rm -f "$CANARY"/*; printf unknown >unknown; git config --list >../list 2>/dev/null; true');

    const statuses = await callEveryEndpoint();
    const written = await canaries();
    await shell('find . -mindepth 1 -delete; cp -a ../kept/. .');

    expect(live).toEqual(expect.arrayContaining([...repository.live]));
    expect(written).toEqual([]);
    expect(statuses).toMatchObject({ 'git/status': 200, 'git/branches': 200, worktrees: 200 });
  });

  it("shows the repository's own tree, independent of core.worktree", async () => {
    await shell(
      'mkdir -p ../other && printf secret >../other/secret && git config core.worktree "$PWD/../other"',
    );

    const { body } = await call('GET', 'git/status');
    await shell('git config --unset core.worktree');

    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('refuses git settings that name more than 500 programs', async () => {
    await shell(
      'cp .git/config ../config; for n in $(seq 600); do printf "[filter \\"f%s\\"]\\n\\tclean = cat\\n" $n; done >>.git/config',
    );

    const { status, body } = await call('GET', 'git/status');
    await shell('cp ../config .git/config');

    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it(
    'ends commands that hang, refuses those beyond the limit before that, and leaves no process',
    slow,
    async () => {
      // Git blocks until a process writes into the pipe.
      await shell('cp .git/config ../config; mkfifo .git/fifo; git config include.path fifo');
      const begun = Date.now();

      const asked = Promise.all(
        Array.from({ length: 12 }, async () => {
          const { status } = await call('GET', 'git/status');
          return { status, tookMs: Date.now() - begun };
        }),
      );
      await vi.waitFor(async () => expect(await gitProcesses()).toBe(4), waiting);
      const answers = await asked;
      const left = await gitProcesses();
      await shell('cp ../config .git/config; rm .git/fifo');

      expect(answers.filter(({ status }) => status === 504)).toHaveLength(4);
      expect(answers.filter(({ status }) => status === 503)).toHaveLength(8);
      const times = (wanted: number) =>
        answers.filter(({ status }) => status === wanted).map(({ tookMs }) => tookMs);
      expect(Math.max(...times(503))).toBeLessThan(Math.min(...times(504)));
      expect(left).toBe(0);
      expect((await call('GET', 'git/status')).status).toBe(200);
    },
  );
});

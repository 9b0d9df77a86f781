import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintGitToken } from '../../../lambdas/domain/code-host/mint-git-token.js';
import { CodeHost } from '../../../local/code-host/code-host.js';
import { freePort } from '../../../local/processes/ports.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

// The end of a turn of a task: real git against the code host of the laptop.

const projectId = ulid();
let fake: FakeControlPlane;
let agent: AgentProcess;
let codeHost: CodeHost;
let harness: AcpHarness;
let openPullRequest = true;
let outputPrUrl: string | null = null;
const folder = mkdtempSync(join(tmpdir(), 'task-work-'));

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  codeHost = new CodeHost({ folder, port: await freePort(), publicUrl: fake.url });
  await codeHost.start();
  fake.handlers.set('git-token', async () => ({ status: 200, body: await gitToken() }));
  fake.handlers.set('callback', async (body) => {
    if (typeof body.outputPrUrl === 'string') outputPrUrl = body.outputPrUrl;
    return { status: 200, body: { title: 'Say goodbye', outputSummary: null, outputPrUrl, openPullRequest } };
  });
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  harness = await AcpHarness.make(join(agent.folder, 'harness'));
  await agent.start(settings());
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await codeHost[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({ ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }) });
const cloneUrl = () => `${codeHost.url}/octo/hello.git`;

async function gitToken() {
  const { apiUrl, url, credentials } = codeHost;
  const app = async () => credentials;
  const host = { apiUrl, webUrl: url, appSlug: 'berth-laptop', app, appAfterRefusal: app };
  const asked = {
    installationId: '5001',
    repository: 'octo/hello',
    permission: 'write',
    now: new Date(),
  } as const;
  const { token, expiresAt } = await mintGitToken(host, asked);
  return {
    token,
    expiresAt,
    username: 'x-access-token',
    host: new URL(url).host,
    cloneUrl: cloneUrl(),
    apiUrl,
  };
}

const bare = (...args: string[]) =>
  execFileSync('git', ['-C', join(folder, 'repositories/octo/hello.git'), ...args], {
    encoding: 'utf8',
  }).trim();

/** A session of a task on its own branch, in a new workspace. */
async function taskSession(taskMode: 'task' | 'conversation' = 'task') {
  const [workspaceId, taskId] = [ulid(), ulid()];
  outputPrUrl = null;
  const branch = `svc/${taskId.toLowerCase()}`;
  const body = await workspaceRequest(fake, workspaceId, {
    ...{ repository: 'octo/hello', cloneUrl: cloneUrl(), branch, defaultBranch: 'main' },
  });
  const token = await fake.management(workspaceId);
  await agent.call('POST', '/workspaces', token, body);
  const work = join(agent.folder, 'workspaces', workspaceId, 'work/hello');
  await until(
    'the workspace',
    async () => fake.callsTo(`${workspaceId}/ready`).length > 0 || undefined,
    20_000,
  );
  const path = `/workspaces/${workspaceId}/agent-sessions`;
  await agent.call('POST', path, token, { sessionId: 's' });
  let turns = 0;
  const beginTurn = async () => {
    turns += 1;
    const prompt = { protocolVersion: 1, deliveryId: `d-${turns}` };
    const started = { agentType: 'claude-code', initialPrompt: 'hello', projectId, taskId, taskMode };
    const [route, fields] = turns === 1 ? ['start', started] : ['prompt', { prompt: 'again' }];
    const send = () => agent.call('POST', `${path}/s/${route}`, token, { ...prompt, ...fields });
    // A restarted agent starts the harness first.
    await until('the acceptance', async () => (await send()).status === 202 || undefined, 20_000);
  };
  const endTurn = async () => {
    await beginTurn();
    await until(
      'the end of the turn',
      async () => {
        const receipt = await agent.call('GET', `${path}/s/prompt-receipts/d-${turns}`, token);
        return receipt.body.state === 'completed' || undefined;
      },
      20_000,
    );
  };
  return {
    branch,
    work,
    beginTurn,
    endTurn,
    reports: () => fake.callsTo(`tasks/${taskId}/status/callback`).map(({ body }) => body),
  };
}

const numberOfCommits = (branch: string) => Number(bare('rev-list', '--count', `main..${branch}`));
const pullRequestsOf = async (branch: string) => {
  const { token } = await gitToken();
  const url = `${codeHost.apiUrl}/repos/octo/hello/pulls?head=octo:${branch}`;
  return (await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json()) as {
    html_url: string;
  }[];
};

it('commits and pushes the work of a task, and opens the pull request once', async () => {
  openPullRequest = true;
  const { branch, work, endTurn, reports } = await taskSession();
  writeFileSync(join(work, 'goodbye.txt'), 'goodbye\n');

  await endTurn();
  expect(bare('show', `${branch}:goodbye.txt`)).toBe('goodbye');
  const [pullRequest] = await pullRequestsOf(branch);
  const commitSha = bare('rev-parse', branch);
  expect(reports()).toEqual([
    { outputBranch: branch, gitPushResult: { pushed: true, branch, commitSha } },
    { outputPrUrl: pullRequest?.html_url },
  ]);

  // The control plane lost the address: the repeated end finds commit, branch and pull request.
  outputPrUrl = null;
  await endTurn();
  expect(bare('rev-parse', branch)).toBe(commitSha);
  expect(numberOfCommits(branch)).toBe(1);
  expect(await pullRequestsOf(branch)).toEqual([pullRequest]);
  expect(reports().at(-1)).toEqual({ outputPrUrl: pullRequest?.html_url });
});

it('pushes the commits of the agent without a pull request when the task asks for none', async () => {
  openPullRequest = false;
  const { branch, work, endTurn, reports } = await taskSession();
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@t.example'];
  execFileSync('git', ['-C', work, ...author, 'commit', '--quiet', '--allow-empty', '-m', 'by the agent']);

  await endTurn();

  expect(bare('log', '-1', '--format=%s', branch)).toBe('by the agent');
  expect(reports()).toHaveLength(1);
  expect(await pullRequestsOf(branch)).toEqual([]);
});

it('pushes nothing when the branch has no work, on the default branch, and in a conversation', async () => {
  const unchanged = await taskSession();
  await unchanged.endTurn();
  expect(unchanged.reports()).toEqual([{ gitPushResult: { pushed: false } }]);
  expect(bare('branch', '--list', unchanged.branch)).toBe('');

  const main = await taskSession();
  const before = bare('rev-parse', 'main');
  execFileSync('git', ['-C', main.work, 'checkout', '--quiet', '-B', 'main']);
  writeFileSync(join(main.work, 'goodbye.txt'), 'goodbye\n');
  await main.endTurn();
  expect(bare('rev-parse', 'main')).toBe(before);
  expect(main.reports()).toEqual([{ gitPushResult: { pushed: false } }]);

  const talk = await taskSession('conversation');
  writeFileSync(join(talk.work, 'goodbye.txt'), 'goodbye\n');
  await talk.endTurn();
  expect(talk.reports()).toEqual([]);
  expect(bare('branch', '--list', talk.branch)).toBe('');
});

it('makes no second commit or pull request after the agent was killed between two steps', async () => {
  openPullRequest = true;
  const { branch, work, beginTurn, endTurn, reports } = await taskSession();
  writeFileSync(join(work, 'goodbye.txt'), 'goodbye\n');
  // No answer: the agent is killed while it waits.
  fake.next.set('callback', [{ status: 0, body: null }]);
  await beginTurn();
  await until('the report', async () => reports().length > 0 || undefined, 20_000);
  const commitSha = bare('rev-parse', branch);
  await agent.kill('SIGKILL');
  await agent.start(settings());

  await endTurn();

  expect(bare('rev-parse', branch)).toBe(commitSha);
  expect(await pullRequestsOf(branch)).toHaveLength(1);
});

it('ends the turn when the control plane refuses the report, with the work pushed', async () => {
  const { branch, work, endTurn } = await taskSession();
  writeFileSync(join(work, 'goodbye.txt'), 'goodbye\n');
  fake.next.set('callback', [{ status: 409, body: { error: 'TASK_NOT_IN_STATE', message: 'Ended.' } }]);

  await endTurn();

  expect(numberOfCommits(branch)).toBe(1);
});

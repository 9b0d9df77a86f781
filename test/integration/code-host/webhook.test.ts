import { execFile } from 'node:child_process';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintGitToken } from '../../../lambdas/domain/code-host/mint-git-token.js';
import { eventIdOf, eventKey, ProjectEvent } from '../../../lambdas/domain/project-events/project-event.js';
import { changeProject, detachProject } from '../../../lambdas/domain/projects/change-project.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { getItems } from '../../../lambdas/domain/records/batch-items.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { CodeHost } from '../../../local/code-host/code-host.js';
import { freePort } from '../../../local/processes/ports.js';
import { readBody } from '../../../local/read-body.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute, type TestReply } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { emptyTable } from '../../support/table.js';
import { until } from '../../support/until.js';

// The route behind a real server, and the laptop's code host, which signs and sends to it.

interface Delivery {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
const [project, second, detached] = [1, 2, 3].map(() => aProject({ githubRepoId: '1' }));
const elsewhere = aProject({ githubRepoId: '2' });
const all = [project, second, detached, elsewhere].filter((each) => each !== undefined);
const deliveries: Delivery[] = [];
let failures = 0;
let table: Table;
let calls: CallCount;
let webhook: Invoke;
let front: Server;
let codeHost: CodeHost;
let secret: string;
let token: string;

beforeAll(async () => {
  table = await emptyTable();
  for (const each of all) await putItem(table, projectItem(each));
  if (detached) await putItem(table, { ...userKey(detached.userId), entity: 'user', projectCount: 1 });
  if (detached) await detachProject(table, detached, new Date());
  if (second)
    await changeProject(table, second, { change: { name: 'Renamed', settings: {} }, now: new Date() });

  front = createServer(async (request, response) => {
    const body = (await readBody(request)).toString('utf8');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, v]) => [name, String(v)]));
    deliveries.push({ headers, body });
    failures -= 1;
    const { status } = failures >= 0 ? { status: 500 } : await webhook({ headers, body });
    response.writeHead(status).end();
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  codeHost = await startCodeHost(`http://127.0.0.1:${(front.address() as AddressInfo).port}`);
  secret = codeHost.credentials.webhookSecret;
  const { ARN } = await new SecretsManagerClient({}).send(
    new CreateSecretCommand({
      Name: `webhook-${randomUUID()}`,
      SecretString: JSON.stringify({ current: 'n'.repeat(40), previous: secret }),
    }),
  );
  Object.assign(process.env, { TABLE_NAME: table.name, CODE_HOST_WEBHOOK_SECRET_ARN: ARN });
  calls = countCalls((await import('../../../lambdas/shared/clients/documents.js')).table.client);
  webhook = await loadRoute('codehost/webhook');
});

afterAll(async () => {
  await codeHost[Symbol.asyncDispose]();
  front.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startCodeHost(publicUrl: string): Promise<CodeHost> {
  const host = new CodeHost({ folder, port: await freePort(), publicUrl });
  await host.start();
  const app = async () => host.credentials;
  const known = { apiUrl: host.apiUrl, webUrl: host.url, appSlug: 'x', app, appAfterRefusal: app };
  const now = new Date();
  const asked = { installationId: '5001', repository: 'octo/hello', permission: 'write', now } as const;
  token = (await mintGitToken(known, asked)).token;
  return host;
}

/** Not synchronous: the code host answers in this process. */
const run = promisify(execFile);
const git = (args: readonly string[]) => run('git', args);
const commitOf = async (ref: string): Promise<string> =>
  (await git(['-C', join(codeHost.repositories, 'octo/hello.git'), 'rev-parse', ref])).stdout.trim();

async function api(method: string, path: string, body: object) {
  const response = await fetch(`${codeHost.apiUrl}/repos/octo/hello/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { id: number; number: number } };
}

/** The events of the next delivery of this kind, in the projects that have one. */
async function eventsOf(name: string, act: () => unknown) {
  const before = deliveries.length;
  await act();
  const delivery = await until(`a delivery of ${name}`, () =>
    deliveries.slice(before).find(({ headers }) => headers['x-github-event'] === name),
  );
  return { delivery, events: () => stored(delivery) };
}

async function stored({ body }: Delivery): Promise<Record<string, ProjectEvent>> {
  const deliveryKey = createHash('sha256').update(body).digest('base64url');
  const keys = all.map(({ projectId }) => eventKey(eventIdOf(projectId, { source: 'github', deliveryKey })));
  const find = await getItems(table, keys);
  const events = keys.flatMap((key) => find(key) ?? []).map((item) => ProjectEvent.parse(item));
  return Object.fromEntries(events.map((event) => [event.projectId, event]));
}

const inBoth = (event: object) => ({
  [project?.projectId ?? '']: expect.objectContaining(event),
  [second?.projectId ?? '']: expect.objectContaining(event),
});

const recorded = (events: () => Promise<object>, expected: object) =>
  until(
    'the events',
    async () => {
      expect(await events()).toEqual(inBoth(expected));
      return true;
    },
    5_000,
  );

const signed = (body: unknown, headers: Record<string, string> = {}): Delivery => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const own = { 'x-hub-signature-256': signature, 'x-github-delivery': randomUUID() };
  return { body: text, headers: { 'x-github-event': 'ping', ...own, ...headers } };
};

it('records a failed check in each attached project of the repository, once for each delivery', async () => {
  const sha = await commitOf('main');
  failures = 1;
  const failed = { name: 'build', head_sha: sha, conclusion: 'failure' };
  const { delivery, events } = await eventsOf('check_run', () => api('POST', 'check-runs', failed));

  // The first answer was a failure: the code host has sent it again under its id.
  const expected = {
    ...{ source: 'github', eventType: 'check_run.completed', severity: 'error', duplicateCount: 0 },
    subject: { type: 'commit', id: sha },
    metadata: expect.objectContaining({ name: 'build', conclusion: 'failure', sha, ref: 'main' }),
  };
  await recorded(events, expected);
  expect(deliveries.map(({ headers }) => headers['x-github-delivery'])).toEqual(
    Array(2).fill(delivery.headers['x-github-delivery']),
  );

  calls.reset();
  const repeat = await webhook(delivery);
  expect(repeat).toMatchObject({ status: 202, body: { outcome: 'recorded', events: 2 } });
  expect(calls.names).toHaveLength(1 + 2 * 2);
  await recorded(events, { duplicateCount: 1, state: 'recorded' });

  // Headers are not signed: a captured body is the same delivery under every id.
  const replayed = { ...delivery, headers: { ...delivery.headers, 'x-github-delivery': randomUUID() } };
  expect(await webhook(replayed)).toMatchObject({ status: 202 });
  await recorded(events, { ...expected, duplicateCount: 2, state: 'recorded' });
});

it('records pushes, pull requests and comments', async () => {
  const url = codeHost.url.replace('//', `//x:${token}@`);
  const clone = join(folder, 'clone');
  await git(['clone', '--quiet', `${url}/octo/hello.git`, clone]);
  const identity = ['-c', 'user.name=Octo', '-c', 'user.email=octo@example.com'];
  await git(['-C', clone, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'Work']);
  const push = await eventsOf('push', () =>
    git(['-C', clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/feature']),
  );
  const sha = await commitOf('feature');
  await recorded(push.events, {
    ...{ eventType: 'push', severity: 'info', subject: { type: 'branch', id: 'feature' } },
    metadata: expect.objectContaining({ sha, change: 'created', actor: 'berth-laptop[bot]' }),
  });

  let number = 0;
  const opened = await eventsOf('pull_request', async () => {
    const made = await api('POST', 'pulls', { head: 'feature', base: 'main', title: 'My feature' });
    number = made.body.number;
  });
  const subject = { type: 'pull_request', id: String(number) };
  await recorded(opened.events, {
    ...{ eventType: 'pull_request.opened', severity: 'notice', subject },
    metadata: expect.objectContaining({ number, sha, ref: 'feature', baseRef: 'main', state: 'open' }),
    display: { title: `#${number} My feature`, url: `${codeHost.url}/octo/hello/pull/${number}` },
  });
  const commented = await eventsOf('issue_comment', () =>
    api('POST', `issues/${number}/comments`, { body: 'Please change it' }),
  );
  await recorded(commented.events, { eventType: 'issue_comment.created', subject });
  const closed = await eventsOf('pull_request', () => api('PATCH', `pulls/${number}`, { state: 'closed' }));
  await recorded(closed.events, { eventType: 'pull_request.closed', subject });
});

it('refuses what no secret of the deployment signs, without a table call', async () => {
  const { body, headers } = signed({ zen: 'x' });
  const wrong = [
    { headers: { 'x-github-event': 'ping', 'x-github-delivery': randomUUID() }, body },
    { headers: { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, body },
    { headers, body: `${body} ` },
  ];
  calls.reset();
  for (const request of wrong)
    expect(await webhook(request)).toMatchObject({ status: 401, body: { error: 'INVALID_SIGNATURE' } });
  expect([...calls.names, ...calls.limits]).toEqual([]);
});

it('answers a ping, ignores other events and repositories, and names the fields of a bad payload', async () => {
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<TestReply> =>
    webhook(signed(body, headers));
  const unknown = { ref: 'refs/heads/main', after: 'a'.repeat(40), repository: { id: 99, full_name: 'a/b' } };
  const outcomes = [
    await send({ zen: 'Keep it logically awesome.' }),
    await send({ action: 'created' }, { 'x-github-event': 'star' }),
    await send(unknown, { 'x-github-event': 'push' }),
  ];
  expect(outcomes.map(({ status, body }) => [status, body])).toEqual([
    [202, { outcome: 'pong', events: 0 }],
    [202, { outcome: 'ignored', events: 0 }],
    [202, { outcome: 'ignored', events: 0 }],
  ]);

  expect(await send({ repository: 1 }, { 'x-github-event': 'push' })).toMatchObject({
    status: 400,
    body: {
      error: 'BAD_REQUEST',
      details: expect.arrayContaining([expect.objectContaining({ field: 'body.ref' })]),
    },
  });
  expect(await send({}, { 'x-github-delivery': 'a b' })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'headers.x-github-delivery' }] },
  });
  expect(await send('{')).toMatchObject({ status: 400, body: { details: [{ field: 'body' }] } });
  expect(await send('payload=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject(
    {
      status: 415,
    },
  );
  expect(await send(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject({ status: 413 });
});

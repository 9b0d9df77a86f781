import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const planted = 'ghp_plantedplantedplanted1234';
const routes = [
  'system-info',
  'containers',
  'events',
  'events/export',
  'metrics/export',
  'logs',
  'debug-package',
];
const roles = [
  { role: 'standalone', isHere: true },
  { role: 'workspace', isHere: hasDocker() },
].filter(({ isHere }) => isHere);

describe.each(roles)('diagnostics of a node as $role', ({ role }) => {
  const workspaceId = ulid();
  const brokenId = ulid();
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, {
      NODE_ROLE: role,
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_BUILD_QUEUE_DEPTH: '2',
      METRICS_INTERVAL: '100ms',
      LOG_RETRIEVAL_DEFAULT_LIMIT: '3',
      LOG_RETRIEVAL_MAX_LIMIT: '500',
    });
    await agent.start();
    // A clone that fails with a secret in its address, which ends up in errors, events and the log.
    const cloneUrl = `http://octo:${planted}@127.0.0.1:9/nothing.git`;
    for (const [id, overrides] of [
      [workspaceId, {}],
      [brokenId, { cloneUrl }],
    ] as const) {
      const body = await workspaceRequest(fake, id, overrides);
      await agent.call('POST', '/workspaces', await fake.management(id), body);
    }
    await vi.waitFor(async () => {
      const { body } = await agent.call('GET', '/workspaces', await fake.management());
      const statuses = (body.workspaces as { status: string }[]).map(({ status }) => status);
      expect(statuses.sort()).toEqual(['errored', 'running']);
    }, waiting);
    if (role === 'workspace')
      docker('exec', `svc-ws-${workspaceId}`, 'sh', '-c', `echo "token=${planted}" > /proc/1/fd/1`);
  });

  afterAll(async () => {
    for (const id of [workspaceId, brokenId])
      await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const get = async (path: string) => agent.call('GET', `/${path}`, await fake.management());

  const bytesOf = async (path: string): Promise<Buffer> => {
    const authorization = `Bearer ${await fake.management()}`;
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: agent.port, path: `/${path}`, ca: agent.certificate() };
      request({ ...options, headers: { authorization } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks)));
      })
        .on('error', reject)
        .end();
    });
  };

  it('are for node-scoped tokens only', async () => {
    for (const route of routes) {
      const call = (token: string | null) => agent.call('GET', `/${route}`, token);
      expect(await call(null), route).toMatchObject({ status: 401 });
      expect(await call(await fake.terminal(workspaceId)), route).toMatchObject({ status: 401 });
      expect(await call(await fake.management(workspaceId)), route).toMatchObject({ status: 403 });
    }
  });

  it('take the token in the address too, of the same kind only', async () => {
    const inAddress = (token: string) => agent.call('GET', `/system-info?token=${token}`, null);

    expect(await inAddress(await fake.management())).toMatchObject({ status: 200 });
    expect(await inAddress(await fake.terminal(workspaceId))).toMatchObject({ status: 401 });
    expect(await inAddress(await fake.management(workspaceId))).toMatchObject({ status: 403 });
  });

  it('show the machine and its containers', async () => {
    const { status, body } = await get('system-info');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      cpu: { numCpu: expect.any(Number) },
      memory: { totalBytes: expect.any(Number) },
      disk: { totalBytes: expect.any(Number) },
      docker: { containers: role === 'workspace' ? 1 : 0 },
      pressure:
        role === 'workspace'
          ? { level: expect.any(String), memory: { isAvailable: true }, droppedEvents: 0 }
          : null,
    });
    const { containers } = (await get('containers')).body;
    const own = [{ name: `svc-ws-${workspaceId}`, state: 'running', image: baseImage }];
    expect(containers).toMatchObject(role === 'workspace' ? own : []);
  });

  it('contain events, also as a database', async () => {
    const types = ((await get('events')).body.events as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['workspace.created', 'workspace.provisioning_failed']));
    const path = join(mkdtempSync(join(tmpdir(), 'export-')), 'events.db');
    writeFileSync(path, await bytesOf('events/export'));
    const rows = new DatabaseSync(path).prepare('SELECT type FROM events').all();
    expect(rows).toHaveLength(types.length);
  });

  it('contain the load of the machine as a database', async () => {
    const rows = await vi.waitFor(async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'export-')), 'metrics.db');
      writeFileSync(path, await bytesOf('metrics/export'));
      const found = new DatabaseSync(path).prepare('SELECT * FROM resource_snapshots').all();
      expect(found.length).toBeGreaterThan(1);
      return found;
    }, waiting);
    expect(rows[0]).toMatchObject({
      cpu_load_avg1: expect.any(Number),
      num_cpu: expect.any(Number),
      mem_total_bytes: expect.any(Number),
      disk_percent: expect.any(Number),
    });
  });

  it('page through the logs within their limits', async () => {
    const first = await get('logs?source=agent');
    expect(first.body).toMatchObject({ hasMore: true, nextCursor: expect.any(String) });
    expect(first.body.entries).toHaveLength(3);
    const second = await get(`logs?source=agent&cursor=${first.body.nextCursor}`);
    expect(second.body.entries).not.toEqual(first.body.entries);
    for (const query of ['limit=501', 'limit=0', 'level=loud', 'since=yesterday', 'cursor=x', 'source=moon'])
      expect(await get(`logs?${query}`), query).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', details: [{ field: query.split('=')[0] }] },
      });
  });

  it('hold no secret: not in the logs, the events or the debug package', async () => {
    const logs = JSON.stringify((await get('logs?limit=500&level=debug')).body);
    expect(logs).toContain('Provisioning failed');
    if (role === 'workspace') expect(logs).toContain('token=[redacted]');
    const folder = mkdtempSync(join(tmpdir(), 'debug-'));
    writeFileSync(join(folder, 'debug.tar.gz'), await bytesOf('debug-package'));
    const unpacked = spawnSync('tar', ['-xzf', 'debug.tar.gz'], { cwd: folder, encoding: 'utf8' });
    expect(unpacked).toMatchObject({ status: 0, stderr: '' });
    const names = readdirSync(folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const missing = manifest.missing.map(({ name }: { name: string }) => name);
    expect([...manifest.members, 'manifest.json'].sort()).toEqual(
      names.filter((name) => name !== 'debug.tar.gz'),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'system-info.json',
        'vm-agent.log',
        `events-${nodeId}.db`,
        `metrics-${nodeId}.db`,
        'provisioning-timings.txt',
        'docker-inspect.json',
        'docker-logs.jsonl',
        'network.json',
        'processes.txt',
      ]),
    );
    for (const wanted of ['cloud-init.log', 'cloud-init-output.log', 'journald-full.log', 'iptables.txt'])
      expect([...names, ...missing]).toContain(wanted);
    expect(readFileSync(join(folder, 'provisioning-timings.txt'), 'utf8')).toMatch(/ completed \d+ ms$/m);
    const texts = names.map((name) => readFileSync(join(folder, name), 'latin1'));
    if (role === 'workspace') expect(texts.join()).toContain('GIT_CONFIG_SYSTEM=[redacted]');
    for (const text of [logs, ...texts]) {
      expect(text).not.toContain(planted);
      expect(text).not.toMatch(/eyJ[\w-]{4,}\.[\w-]+\./);
    }
  });
});

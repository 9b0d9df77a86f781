import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limitMs } from '../../support/limit-ms.js';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 90_000, interval: 100 };
vi.setConfig({ testTimeout: limitMs(200_000) });
const mebibyte = 2 ** 20;

/** Prints what the service `db` answers. */
const query = "bash -c 'cat < /dev/tcp/db/5432'";
const server = `
  use IO::Socket::INET;
  my $server = IO::Socket::INET->new(LocalPort => 5432, Listen => 5, ReuseAddr => 1) or die;
  while (my $client = $server->accept) { print $client \`cat /data/starts.txt\`; close $client }`;
/** Reads like a list of YAML, with $ as compose expects it. */
const yaml = (list: readonly string[]) => JSON.stringify(list).replaceAll('$', () => '$$');

const database = `
  db:
    image: \${BASE:-${baseImage}}
    command: ${yaml(['sh', '-c', 'echo started >> /data/starts.txt; exec perl -e "$SERVER"'])}
    environment: ${yaml([`SERVER=${server}`])}
    env_file: [.env]
    volumes: [data:/data]
    ports: ["5432:5432"]
    healthcheck: {test: ${yaml(['CMD-SHELL', query])}, interval: 1s}
`;

const repository = {
  '.devcontainer/devcontainer.json': JSON.stringify({
    dockerComposeFile: '../compose.yaml',
    service: 'app',
    runServices: ['app'],
    workspaceFolder: '/workspaces/app',
    shutdownAction: 'stopCompose',
    hostRequirements: { cpus: 500, memory: '1gb', storage: 'much' },
    forwardPorts: ['db:5432', 3000, 'other:80'],
    portsAttributes: { 'db:5432': { label: 'Orders' }, 3000: { label: 'Shop' } },
    postStartCommand: `${query} > from-db.txt`,
  }),
  '.env': 'KIND="small"\n',
  'compose.yaml': `services:
  app:
    build: {context: ., dockerfile: Dockerfile}
    command: sleep infinity
    environment: {ROLE: main}
    volumes: ["..:/workspaces:cached"]
    depends_on: {db: {condition: service_healthy}}
    network_mode: service:db
${database}
  unused: {image: ${baseImage}, privileged: true}
volumes: {data: }
`,
  Dockerfile: `FROM ${baseImage}\nRUN echo built > /built\n`,
};

describe.skipIf(!hasDocker())('a dev container of several services (with a Docker engine)', () => {
  const ids: string[] = [];
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    fake.addRepository('app', repository);
    fake.addRepository('failing', {
      '.devcontainer/devcontainer.json': '{"dockerComposeFile": "compose.yaml", "service": "app"}',
      '.devcontainer/compose.yaml': `services:
  app: {image: ${baseImage}}
  db: {image: ${baseImage}, command: sh -c "echo no disk >&2; exit 7"}
`,
    });
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_NETWORK: 'none',
    });
    await agent.start();
  });

  afterAll(async () => {
    for (const id of ids) await about(id, 'DELETE').catch(() => undefined);
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const about = async (id: string, method: string, what = '') =>
    agent.call(method, `/workspaces/${id}${what}`, await fake.management(id));

  const create = async (name: string) => {
    const id = ulid();
    ids.push(id);
    const body = await workspaceRequest(fake, id, {
      repository: `octo/${name}`,
      cloneUrl: fake.cloneUrl(name),
      reservation: { memoryMb: 900, cpuMillis: 1_500, diskMb: 9_000 },
    });
    expect(await agent.call('POST', '/workspaces', await fake.management(id), body)).toMatchObject({
      status: 202,
    });
    return id;
  };

  const untilReady = async (id: string, count = 1) => {
    await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(count), waiting);
    expect(fake.callsTo(`${id}/ready`).at(-1)?.body.status, JSON.stringify(logged(id))).toBe('running');
  };

  const entries = (id: string) =>
    fake
      .callsTo(`${id}/boot-log`)
      .map(({ body }) => body.entry as { step: string; status: string; message: string; detail?: string });
  const logged = (id: string) =>
    entries(id).filter(({ step, status }) => status === 'failed' || step === 'devcontainer_notes');

  const inside = (id: string, script: string) => docker('exec', `svc-ws-${id}`, 'sh', '-c', script);
  const db = (id: string) => `svc-ws-${id}-service-db`;
  const running = (id: string) =>
    docker('ps', '--format', '{{.Names}}', '-f', `label=svc.workspace=${id}`)
      .split('\n')
      .filter(Boolean)
      .sort();
  const nothingIsLeft = (id: string) => {
    for (const kind of [
      ['ps', '-aq'],
      ['volume', 'ls', '-q'],
      ['network', 'ls', '-q'],
      ['images', '-q'],
    ])
      expect(docker(...kind, '-f', `label=svc.workspace=${id}`)).toBe('');
  };

  it('runs the commands of the workspace when the services that it depends on are healthy', async () => {
    const id = await create('app');
    await untilReady(id);

    expect(running(id)).toEqual([`svc-ws-${id}`, db(id)]);
    expect(inside(id, 'cat /built from-db.txt; echo $ROLE; pgrep -f "sleep infinity" | wc -l')).toMatch(
      /^built\nstarted\nmain\n[1-9]/,
    );
    expect(docker('exec', db(id), 'sh', '-c', 'echo $KIND')).toBe('small');
    expect(
      logged(id)
        .map(({ detail }) => detail)
        .join(),
    ).toContain('Service db: ignored: ports');
  });

  it('gives services no right beyond those of the workspace, and divides its limits', () => {
    const id = ids[0] ?? '';
    const [own] = JSON.parse(docker('inspect', `svc-ws-${id}`));
    const [service] = JSON.parse(docker('inspect', db(id)));

    expect(service.HostConfig).toMatchObject({
      Privileged: false,
      NetworkMode: `container:${own.Id}`,
      IpcMode: 'private',
      PidMode: '',
      CapDrop: ['ALL'],
      CapAdd: own.HostConfig.CapAdd,
      Binds: null,
    });
    expect(service.HostConfig.Devices ?? []).toEqual([]);
    expect(service.Mounts).toMatchObject([
      { Type: 'volume', Name: `svc-ws-${id}-data`, Destination: '/data' },
    ]);
    for (const [key, total] of [
      ['Memory', 900 * mebibyte],
      ['MemorySwap', 900 * mebibyte],
      ['NanoCpus', 1.5e9],
      ['PidsLimit', 1_800],
    ] as const) {
      const sum = own.HostConfig[key] + service.HostConfig[key];
      expect(sum, key).toBeLessThanOrEqual(total);
      expect(sum, key).toBeGreaterThan(total * 0.99);
    }
    for (const { Config, HostConfig } of [own, service])
      expect(Config.Labels['svc.memory']).toBe(String(HostConfig.Memory));
    expect(own.HostConfig.CpuShares).toBeGreaterThan(service.HostConfig.CpuShares);
    // Where the engine cannot limit disk, the boot log has the reason.
    const unlimited = entries(id).filter(({ step }) => step === 'disk_limit');
    expect(unlimited).toHaveLength(own.HostConfig.StorageOpt ? 0 : 1);
  });

  it('lists the ports of services, which previews reach', async () => {
    const id = ids[0] ?? '';
    await vi.waitFor(async () => {
      const { body } = await agent.call('GET', `/workspaces/${id}/ports`, await fake.terminal(id));
      expect(body.ports).toContainEqual(expect.objectContaining({ port: 5432 }));
    }, waiting);
  });

  it('shows the ports of the configuration with their labels, also before something listens', async () => {
    const id = ids[0] ?? '';
    const { body } = await about(id, 'GET', '/ports');

    expect(body.ports).toContainEqual(expect.objectContaining({ port: 5432, label: 'Orders' }));
    expect(body.forwardPorts).toEqual([
      { port: 3000, label: 'Shop', url: `/workspaces/${id}/ports/3000/`, listening: false },
      { port: 5432, label: 'Orders', url: `/workspaces/${id}/ports/5432/`, listening: true },
    ]);
    const notes = logged(id).map(({ detail }) => detail);
    expect(notes.join()).toContain('forwardPorts ignored: "other:80" is no port of the workspace');
  });

  it('names the requirements that the workspace does not meet, and builds without them', () => {
    const id = ids[0] ?? '';
    const found = entries(id).filter(({ step }) => step === 'devcontainer_requirements');

    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The dev container requires 500 processors .* may use 1[.]5[.] Set minVcpu to 500, and use a larger node[.]$/,
      ),
      expect.stringMatching(/requires 1 GB of memory .* may use 0[.]9 GB[.] Set minMemoryGb to 1 for/),
    ]);
    const notes = logged(id).map(({ detail }) => detail);
    expect(notes.join()).toContain('hostRequirements.storage ignored: "much" is not a size such as "8gb"');
  });

  it('reports a service that ends later as an event, and starts it again with the workspace', async () => {
    const id = ids[0] ?? '';
    docker('kill', db(id));

    await vi.waitFor(async () => {
      const { body } = await agent.call('GET', '/events', await fake.management());
      expect(body.events).toContainEqual(
        expect.objectContaining({
          workspaceId: id,
          type: 'workspace.service_ended',
          message: 'Service db exited with code 137',
        }),
      );
    }, waiting);
    expect(running(id)).toEqual([`svc-ws-${id}`]);
  });

  it('stops and restarts all services, with their volumes', async () => {
    const id = ids[0] ?? '';
    await about(id, 'POST', '/stop');
    expect(running(id)).toEqual([]);
    await about(id, 'POST', '/restart');
    await untilReady(id, 2);

    expect(inside(id, 'cat from-db.txt')).toBe('started\nstarted');
    expect(logged(id).filter(({ status }) => status === 'failed')).toEqual([]);
  });

  it('restarts its services in its new network when its own container ends unexpectedly', async () => {
    const id = ids[0] ?? '';
    docker('kill', `svc-ws-${id}`);
    await untilReady(id, 3);

    expect(inside(id, query)).toBe('started\nstarted\nstarted');
  });

  it('creates all containers again in a rebuild, from the changed file', async () => {
    const id = ids[0] ?? '';
    const before = docker('inspect', '-f', '{{.Id}}', db(id));
    inside(id, `sed -i 's/KIND="small"/KIND="large"/' .env`);
    await about(id, 'POST', '/rebuild');
    await untilReady(id, 4);

    expect(docker('exec', db(id), 'sh', '-c', 'echo $KIND; wc -l < /data/starts.txt')).toBe('large\n4');
    expect(docker('inspect', '-f', '{{.Id}}', db(id))).not.toBe(before);
  });

  it('creates its containers again after the agent was killed between their creations', async () => {
    const id = await create('app');
    await vi.waitFor(() => expect(docker('ps', '-aq', '-f', `name=${db(id)}`)).not.toBe(''), waiting);
    await agent.kill('SIGKILL');
    await agent.start();
    await untilReady(id);

    expect(running(id)).toEqual([`svc-ws-${id}`, db(id)]);
    expect(docker('ps', '-aq', '-f', `label=svc.workspace=${id}`).split('\n')).toHaveLength(2);
  });

  it('reports a service that exits, with its output, and runs without it', async () => {
    const id = await create('failing');
    await untilReady(id);

    await vi.waitFor(
      () =>
        expect(logged(id)).toContainEqual(
          expect.objectContaining({
            step: 'devcontainer_service',
            message: 'Service db: it exited with code 7',
            detail: 'no disk\n',
          }),
        ),
      waiting,
    );
    expect(running(id)).toEqual([`svc-ws-${id}`]);
  });

  it('leaves nothing behind when it is deleted', async () => {
    for (const id of ids) {
      expect(await about(id, 'DELETE')).toMatchObject({ status: 200 });
      nothingIsLeft(id);
    }
  });
});

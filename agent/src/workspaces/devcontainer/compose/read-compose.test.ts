import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCompose } from './read-compose.js';

const folders: string[] = [];
const settings = { dockerComposeFile: '../compose.yaml', service: 'app' };

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function repositoryOf(files: Readonly<Record<string, string>>): string {
  const repository = mkdtempSync(join(tmpdir(), 'berth-compose-'));
  folders.push(repository);
  for (const [path, text] of Object.entries({ '.devcontainer/devcontainer.json': '{}', ...files })) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  return repository;
}

const read = (files: Readonly<Record<string, string>>, more: object = {}) =>
  readCompose(
    { ...settings, ...more },
    {
      repository: repositoryOf(files),
      path: '.devcontainer/devcontainer.json',
      workspaceId: '01W',
      volumePrefix: 'svc-ws-01W',
    },
  );

const withDatabase = (line: string, rest = '') =>
  read({ 'compose.yaml': `services:\n  app: {image: base}\n  db:\n    image: base\n    ${line}\n${rest}` });

describe('a compose file', () => {
  it('becomes the configuration of the own container and the plans of the services beside it', async () => {
    const { configuration, command, services, notes } = await read({
      '.env': '# comment\nTAG=9 # newest\n',
      'db/vars.env': "PASSWORD='a b'\nUSER=x\n",
      'compose.yaml': `
x-common: &common {restart: unless-stopped, environment: {COMMON: "1"}}
services:
  app:
    build: {context: docker, target: dev, args: [A=1]}
    command: sh -c 'sleep "infinity"'
    user: 1000
    volumes: [".:/workspaces/app:cached", "home:/home/dev"]
    environment: {PRICE: "$$5"}
    depends_on: [web]
  db:
    <<: *common
    image: postgres:\${TAG}
    env_file: db/vars.env
    volumes: ["data:/var/lib/db:ro", /cache]
    healthcheck: {test: pg_isready, interval: 1m30s, retries: 3}
    ports: ["5432:5432"]
  web: {image: "registry.example:5000/web", depends_on: {db: {condition: service_healthy}}}
volumes: {data: {}, home: {driver: local}}
`,
    });

    expect(configuration).toMatchObject({
      build: { context: '../docker', dockerfile: '../docker/Dockerfile', target: 'dev', args: { A: '1' } },
      containerEnv: { PRICE: '$5' },
      containerUser: '1000',
      mounts: [{ type: 'volume', source: 'home', target: '/home/dev' }],
      overrideCommand: false,
    });
    expect(configuration).not.toHaveProperty('dockerComposeFile');
    expect(command).toEqual({ entrypoint: null, command: ['sh', '-c', 'sleep "infinity"'] });
    expect(services.hosts).toEqual(['app', 'db', 'web']);
    expect(services.plans).toMatchObject([
      {
        name: 'db',
        image: 'postgres:9',
        environment: { PASSWORD: 'a b', USER: 'x', COMMON: '1' },
        isRestarted: true,
        ready: 'healthy',
        healthcheck: { Test: ['CMD-SHELL', 'pg_isready'], Interval: 90e9, Retries: 3 },
        mounts: [
          { volume: 'svc-ws-01W-data', target: '/var/lib/db', isReadOnly: true },
          { volume: 'svc-ws-01W-db--cache', target: '/cache' },
        ],
      },
      { name: 'web', image: 'registry.example:5000/web:latest', isRestarted: false, ready: 'started' },
    ]);
    expect(notes.join()).toContain('Service db: ignored: ports');
  });

  it('reads variables of long lines of spaces within a moment', async () => {
    const spaces = ' '.repeat(300_000);
    const { configuration } = await read({
      '.env': `LONG=a${spaces}x\nTAG = 9\n`,
      'compose.yaml': 'services: {app: {image: "base:$TAG"}}',
    });

    expect(configuration.image).toBe('base:9');
  }, 5_000);

  it.each([
    ['all services without a profile', {}, ['app', 'db', 'log']],
    ['the services of runServices with their dependencies', { runServices: ['web'] }, ['app', 'db', 'web']],
    ['only the dependencies of the own service', { runServices: [] }, ['app', 'db']],
  ])('starts %s', async (_, more, expected) => {
    const { services } = await read(
      {
        'compose.yaml': `services:
  app: {image: base, depends_on: [db]}
  db: {image: base}
  web: {image: base, depends_on: [db], profiles: [debug]}
  log: {image: base}
`,
      },
      more,
    );

    expect(services.hosts).toEqual(expected);
  });
});

describe('refuses, with service and key,', () => {
  it.each([
    ['privileged', 'privileged: true', 'Service db: the key privileged is not supported'],
    ['the PID namespace of the node', 'pid: host', 'Service db: the key pid is not supported'],
    ['the IPC namespace of the node', 'ipc: host', 'Service db: the key ipc'],
    ['the user namespace of the node', 'userns_mode: host', 'Service db: the key userns_mode'],
    ['the control group of the node', 'cgroup: host', 'Service db: the key cgroup'],
    ['another control group', 'cgroup_parent: /', 'Service db: the key cgroup_parent'],
    ['the network of the node', 'network_mode: host', 'Service db: network_mode host is not allowed'],
    ['the network of another container', 'network_mode: "container:svc-ws-02X"', 'network_mode container:'],
    ['devices', 'devices: [/dev/kvm]', 'Service db: the key devices'],
    ['device rules', 'device_cgroup_rules: ["a *:* rwm"]', 'the key device_cgroup_rules'],
    ['a runtime', 'runtime: other', 'the key runtime'],
    ['kernel settings', 'sysctls: {kernel.x: 1}', 'the key sysctls'],
    ['volumes of another container', 'volumes_from: ["container:svc-ws-02X"]', 'the key volumes_from'],
    ['a service of another file', 'extends: {file: /etc/x, service: y}', 'the key extends'],
    ['other host names', 'extra_hosts: ["db:1.2.3.4"]', 'the key extra_hosts'],
    ['a capability', 'cap_add: [SYS_ADMIN]', 'Service db: cap_add SYS_ADMIN is not allowed'],
    ['all capabilities', 'cap_add: [ALL]', 'Service db: cap_add ALL is not allowed'],
    ['no seccomp filter', 'security_opt: ["seccomp:unconfined"]', 'security_opt seccomp:unconfined'],
    [
      'the engine socket',
      'volumes: ["/var/run/docker.sock:/s"]',
      '/var/run/docker.sock is not a named volume',
    ],
    ['the root of the node', 'volumes: ["/:/host"]', 'Service db: volumes: / is not a named volume'],
    ['a folder of the repository', 'volumes: ["./init:/init"]', './init is not a named volume'],
    ['a folder above', 'volumes: ["../..:/x"]', '../.. is not a named volume'],
    ['a home folder', 'volumes: ["~/.ssh:/x"]', '~/.ssh is not a named volume'],
    ['a bind mount in long form', 'volumes: [{type: bind, source: etc, target: /x}]', 'not a named volume'],
    [
      'options of a mount',
      'volumes: [{type: volume, source: a, target: /x, bind: {}}]',
      'Service db: volumes',
    ],
    ['options after a target', 'volumes: ["a:/x:shared"]', 'a is not a named volume'],
    ['a mount over the files', 'volumes: ["a:/workspaces"]', 'cannot be mounted at /workspaces'],
    ['a mount by a detour', 'volumes: ["a:/x/../workspaces"]', 'no absolute, normalized path'],
    ['the image of another workspace', 'image: "svc-ws-02x:1"', 'is not the name of a usable image'],
    ['the id of an image', `image: "sha256:${'a'.repeat(64)}"`, 'is not the name of a usable image'],
    ['an image name with an argument', 'image: "--help"', 'is not the name of a usable image'],
    ['a build', 'build: .', 'Service db: the key build is supported only in the service of the workspace'],
    ['an environment file outside', 'env_file: ../../etc/passwd', 'is outside of the repository'],
    ['a cycle', 'depends_on: [db]', 'Service db: depends_on has a cycle'],
    ['a missing dependency', 'depends_on: [cache]', 'has no service cache'],
    ['an open quote', `command: "sh 'x"`, 'has an open quote'],
    ['a duration without unit', 'healthcheck: {interval: "5"}', 'healthcheck: 5 is not a duration'],
    ['a required variable', `user: "$\{NAME:?}"`, 'needs the variable NAME'],
    ['a variable form', `user: "$\{NAME/x/y}"`, 'which is not supported'],
  ])('%s', async (_, line, reason) => {
    const made = line.startsWith('image:')
      ? read({ 'compose.yaml': `services:\n  app: {image: base}\n  db:\n    ${line}\n` })
      : withDatabase(line);

    await expect(made).rejects.toThrow(reason);
  });

  it.each([
    ['privileged', 'privileged: true', 'Service app: the key privileged'],
    [
      'the engine socket',
      'volumes: ["/var/run/docker.sock:/s"]',
      'Service app: volumes: /var/run/docker.sock',
    ],
    ['a capability', 'cap_add: [NET_ADMIN]', 'Service app: cap_add NET_ADMIN'],
    ['the network of the node', 'network_mode: host', 'Service app: network_mode host'],
    ['a build from an address', 'build: "https://host.example/x.git"', 'must be a folder of the repository'],
    ['options of a build', 'build: {context: ., network: host}', 'Service app: build'],
  ])('%s in the service of the workspace', async (_, line, reason) => {
    await expect(
      read({ 'compose.yaml': `services:\n  app:\n    image: base\n    ${line}\n` }),
    ).rejects.toThrow(reason);
  });

  it.each([
    [
      'a volume with options of a driver',
      'volumes: {d: {driver_opts: {device: /}}}',
      'Volume d: the key driver_opts',
    ],
    ['an external volume', 'volumes: {d: {external: true}}', 'Volume d: the key external'],
    ['a volume of another name', 'volumes: {d: {name: svc-ws-02X}}', 'Volume d: the key name'],
    ['another driver', 'volumes: {d: {driver: nfs}}', 'Volume d: the key driver'],
    ['secrets of the node', 'secrets: {s: {file: /etc/shadow}}', 'the key secrets is not supported'],
    ['configs of the node', 'configs: {c: {file: /etc/shadow}}', 'the key configs is not supported'],
    ['another file', 'include: [/etc/x.yaml]', 'the key include is not supported'],
  ])('%s', async (_, rest, reason) => {
    await expect(withDatabase('tty: true', rest)).rejects.toThrow(reason);
  });

  it.each([
    ['several files', { dockerComposeFile: ['a.yaml', 'b.yaml'] }, 'dockerComposeFile'],
    ['a file outside', { dockerComposeFile: '../../x.yaml' }, 'is outside of the repository'],
    ['a missing file', { dockerComposeFile: 'x.yaml' }, 'does not exist in the repository'],
    ['a missing service', { service: 'other' }, 'has no service other'],
    ['no service', { service: undefined }, 'devcontainer.json: service'],
    ['a missing service in runServices', { runServices: ['x'] }, 'has no service x'],
  ])('%s', async (_, more, reason) => {
    await expect(read({ 'compose.yaml': 'services: {app: {image: base}}' }, more)).rejects.toThrow(reason);
  });

  const aliases = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  const many = Array.from({ length: 9 }, (_, at) => `s${at}: {image: base}`).join(', ');
  it.each([
    ['aliases that expand', `a0: &a0 [x]\n${aliases.join('\n')}\n`, 'is not valid YAML'],
    ['deep nesting', `services: ${'['.repeat(50_000)}`, 'is not valid YAML'],
    ['two equal keys', 'services: {}\nservices: {}\n', 'is not valid YAML'],
    ['too many services', `services: {app: {image: base}, ${many}}`, 'starts 10 services (limit 8)'],
    [
      'a service that is no host name',
      'services: {app: {image: base}, "a b": {image: base}}',
      'not a host name',
    ],
    ['megabytes', ' '.repeat(1_100_000), 'larger than 1024 KB'],
    ['no mapping', '- x', 'compose.yaml'],
  ])('%s', async (_, text, reason) => {
    await expect(read({ 'compose.yaml': text })).rejects.toThrow(reason);
  });

  it('a repository mount of many dots within a moment', async () => {
    const compose = `services: {app: {image: base, volumes: ["./${'.'.repeat(50_000)}x:/x"]}}`;

    await expect(read({ 'compose.yaml': compose })).rejects.toThrow('is not a named volume');
  }, 5_000);

  it('a compose file that is a link', async () => {
    const repository = repositoryOf({});
    symlinkSync('/etc/hostname', join(repository, 'compose.yaml'));
    const place = {
      repository,
      path: '.devcontainer/devcontainer.json',
      workspaceId: 'w',
      volumePrefix: 'v',
    };

    await expect(readCompose(settings, place)).rejects.toThrow('is a link');
  });
});

import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, engineGateway, hasDocker } from './docker-engine.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 50_000, interval: 50 };

const builtRepository = {
  'README.md': 'read me\n',
  '.devcontainer/devcontainer.json': `{
    // People write comments here.
    "build": { "dockerfile": "Dockerfile", "context": "..", "options": ["--network=host"] },
    "features": { "./hello": { "greeting": "good day" } },
    "remoteUser": "dev",
    "containerEnv": { "COLOUR": "green" },
    "remoteEnv": { "SHADE": "dark \${containerEnv:COLOUR}" },
    "mounts": ["type=volume,source=cache,target=/home/dev/cache", "type=bind,source=/etc,target=/host-etc"],
    "runArgs": ["--privileged"],
    "initializeCommand": "touch /tmp/berth-initialize-command-ran",
    "onCreateCommand": "echo $(whoami) $SHADE in $(pwd) > on-create.txt",
    "postCreateCommand": { "one": "git ls-remote -q > ls-remote.txt", "two": ["sh", "-c", "echo two > two.txt"] },
    "postStartCommand": "echo started >> starts.txt",
  }`,
  '.devcontainer/Dockerfile': `FROM ${baseImage}\nRUN useradd -m dev\nCOPY README.md /copied.md\n`,
  '.devcontainer/hello/devcontainer-feature.json': JSON.stringify({
    id: 'hello',
    version: '1.0.0',
    name: 'Hello',
    options: { greeting: { type: 'string', default: 'hi' } },
    entrypoint: '/usr/local/bin/hello-entry',
  }),
  '.devcontainer/hello/install.sh':
    '#!/bin/sh\nset -e\nprintf "#!/bin/sh\\necho $GREETING\\n" > /usr/local/bin/hello\n' +
    'printf "#!/bin/sh\\nid -un > /started-as\\n" > /usr/local/bin/hello-entry\n' +
    'chmod +x /usr/local/bin/hello /usr/local/bin/hello-entry\n',
};

const brokenRepository = {
  '.devcontainer/devcontainer.json': '{ "build": { "dockerfile": "Dockerfile" } }',
  '.devcontainer/Dockerfile': `FROM ${baseImage}\nRUN echo password=hunter22 && echo no such thing >&2 && exit 3\n`,
};

const brokenJson = {
  '.devcontainer/devcontainer.json': `{\n  "image": "${baseImage}" // no comma\n  "remoteUser": "dev"\n}\n`,
};

describe.skipIf(!hasDocker())(
  'dev containers of repositories (with a Docker engine and the base image)',
  () => {
    const ids: string[] = [];
    let fake: FakeControlPlane;
    let agent: AgentProcess;

    beforeAll(async () => {
      // Containers find the code host of this test at the gateway of the engine.
      fake = await FakeControlPlane.start('0.0.0.0');
      fake.addRepository('built', builtRepository);
      fake.addRepository('broken', brokenRepository);
      fake.addRepository('broken-json', brokenJson);
      agent = new AgentProcess(fake, {
        NODE_ROLE: 'workspace',
        DEFAULT_DEVCONTAINER_IMAGE: baseImage,
        WORKSPACE_LOOPBACK_ALIAS: engineGateway(),
      });
      await agent.start();
    });

    afterAll(async () => {
      for (const id of ids) await about(id, 'DELETE').catch(() => undefined);
      await agent[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    });

    const about = async (id: string, method: string, what = '', body?: unknown) =>
      agent.call(method, `/workspaces/${id}${what}`, await fake.management(id), body);

    const create = async (name: string, overrides: object = {}) => {
      const id = ulid();
      ids.push(id);
      const body = await workspaceRequest(fake, id, {
        repository: `octo/${name}`,
        cloneUrl: fake.cloneUrl(name),
        ...overrides,
      });
      expect(await agent.call('POST', '/workspaces', await fake.management(id), body)).toMatchObject({
        status: 202,
      });
      return id;
    };

    const untilReady = async (id: string, count = 1) => {
      await vi.waitFor(() => {
        const failed = fake.callsTo(`${id}/provisioning-failed`);
        if (failed.length > 0) return;
        expect(fake.callsTo(`${id}/ready`)).toHaveLength(count);
      }, waiting);
      expect(fake.callsTo(`${id}/provisioning-failed`)).toEqual([]);
      return fake.callsTo(`${id}/ready`).at(-1)?.body.status;
    };

    const logged = (id: string, step: string) =>
      fake
        .callsTo(`${id}/boot-log`)
        .map(({ body }) => body.entry as { step: string; status: string; message: string; detail?: string })
        .filter((entry) => entry.step === step);

    const inside = (id: string, script: string) => docker('exec', `svc-ws-${id}`, 'sh', '-c', script);

    const inShell = async (id: string, line: string, pattern: RegExp) => {
      const client = await TerminalClient.open(agent, await fake.terminal(id));
      client.send({ type: 'create_session', sessionId: 'one', data: { rows: 30, cols: 200 } });
      await client.waitFor('session_created');
      client.type('one', `${line}\n`);
      await client.waitForText(pattern);
      client.socket.close();
      return client.text;
    };

    it('builds Dockerfile and features, and runs everything as the user that the repository names', async () => {
      const id = await create('built');
      expect(await untilReady(id)).toBe('running');

      expect(inside(id, 'cat /copied.md; hello; cat /started-as')).toBe('read me\ngood day\nroot');
      expect(inside(id, 'cat on-create.txt two.txt starts.txt')).toBe(
        'dev dark green in /workspaces/built\ntwo\nstarted',
      );
      // A command of the repository reaches its code host as a shell does.
      expect(inside(id, 'cat ls-remote.txt')).toContain('refs/heads/main');
      expect(inside(id, 'git status --porcelain')).not.toContain('.devcontainer');
      const text = await inShell(id, 'echo "$(whoami) $COLOUR $PWD" EN"D"', /END/);
      expect(text).toContain('dev green /workspaces/built');
    });

    it('applies only allowed settings to the container, and reports the others', async () => {
      const id = ids[0] ?? '';
      const inspected = docker('inspect', `svc-ws-${id}`);
      const [container] = JSON.parse(inspected);

      expect(container.Config.Labels).toMatchObject({
        'svc.workspace': id,
        'svc.node': nodeId,
        'svc.origin': 'own',
      });
      expect(container.HostConfig).toMatchObject({
        Privileged: false,
        Init: true,
        NetworkMode: `svc-ws-${id}`,
      });
      expect(container.Mounts.map(({ Destination }: { Destination: string }) => Destination).sort()).toEqual([
        '/home/dev/cache',
        '/run/svc',
        '/workspaces',
      ]);
      expect(inspected).not.toMatch(/eyJ|git-token/);
      const notes = logged(id, 'devcontainer_notes')[0]?.detail;
      for (const name of ['initializeCommand', 'runArgs', 'build.options', 'source=/etc'])
        expect(notes).toContain(name);
    });

    it('keeps the volume and runs only the start commands again when it is restarted', async () => {
      const id = ids[0] ?? '';
      inside(id, 'echo kept > cache-test; echo kept > /home/dev/cache/x');
      await about(id, 'POST', '/stop');
      await about(id, 'POST', '/restart');
      expect(await untilReady(id, 2)).toBe('running');

      expect(inside(id, 'cat cache-test starts.txt two.txt')).toBe('kept\nstarted\nstarted\ntwo');
    });

    it('rebuilds from the changed configuration, with the same files', async () => {
      const id = ids[0] ?? '';
      inside(id, `sed -i 's/good day/good night/; s/green/blue/' .devcontainer/devcontainer.json`);
      await about(id, 'POST', '/rebuild');
      expect(await untilReady(id, 3)).toBe('running');

      expect(inside(id, 'hello; cat cache-test /home/dev/cache/x; echo $COLOUR')).toBe(
        'good night\nkept\nkept\nblue',
      );
      expect(imagesOf(id)).toHaveLength(1);
    });

    it('runs from the default image when the build fails, with the reason', async () => {
      const id = await create('broken');
      expect(await untilReady(id)).toBe('recovering');

      const [, failed] = logged(id, 'devcontainer_build');
      expect(failed).toMatchObject({ status: 'failed' });
      expect(failed?.detail).toContain('no such thing');
      expect(failed?.detail).not.toContain('hunter22');
      expect(inside(id, 'cat /workspaces/.devcontainer-build-error.log')).toContain('no such thing');
      expect(inside(id, 'cat /workspaces/.devcontainer-build-error.log')).not.toContain('hunter22');
      expect(inside(id, 'git status --porcelain')).toBe('');
      expect(docker('inspect', '-f', '{{index .Config.Labels "svc.origin"}}', `svc-ws-${id}`)).toBe(
        'fallback',
      );
      const { body } = await agent.call('GET', '/workspaces', await fake.management());
      expect(body.workspaces).toContainEqual(
        expect.objectContaining({ workspaceId: id, status: 'recovering' }),
      );
    });

    it('runs its own image again after the fault is fixed and a rebuild', async () => {
      const id = ids.at(-1) ?? '';
      inside(id, `printf 'FROM ${baseImage}\\nRUN echo mended > /mended\\n' > .devcontainer/Dockerfile`);
      await about(id, 'POST', '/rebuild');

      expect(await untilReady(id, 2)).toBe('running');
      expect(inside(id, 'cat /mended; ls -a /workspaces')).not.toContain('build-error');
    });

    it('names the place where devcontainer.json is broken JSON', async () => {
      const id = await create('broken-json');
      expect(await untilReady(id)).toBe('recovering');

      const reason =
        '.devcontainer/devcontainer.json is broken JSON at line 3, column 3: a comma or "}" is missing';
      expect(logged(id, 'devcontainer_build')[1]).toMatchObject({ status: 'failed', detail: reason });
      expect(logged(id, 'devcontainer_fallback')[0]?.detail).toBe(reason);
      const { body } = await agent.call('GET', '/workspaces', await fake.management());
      expect(body.workspaces).toContainEqual(
        expect.objectContaining({ workspaceId: id, errorMessage: expect.stringContaining(reason) }),
      );
    });

    it('leaves nothing behind when it is deleted', async () => {
      for (const id of ids) {
        expect(await about(id, 'DELETE')).toMatchObject({ status: 200 });
        expect(docker('ps', '-aq', '-f', `label=svc.workspace=${id}`)).toBe('');
        expect(docker('volume', 'ls', '-q', '-f', `label=svc.workspace=${id}`)).toBe('');
        expect(imagesOf(id)).toEqual([]);
      }
    });
  },
);

function imagesOf(id: string): string[] {
  return docker('images', '-q', `svc-ws-${id.toLowerCase()}`).split('\n').filter(Boolean);
}

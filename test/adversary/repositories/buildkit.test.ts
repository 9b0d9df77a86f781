import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildxArguments } from '../../../agent/src/sandbox/buildkit/buildx-arguments.js';
import { sourcePolicy } from '../../../agent/src/sandbox/buildkit/source-policy.js';
import {
  pruneBuildCache,
  removeCacheMounts,
} from '../../../agent/src/workspaces/devcontainer/buildkit-cache.js';
import { BuildKitEngine, hasBuildKitEngine } from '../../support/buildkit-engine.js';
import { until } from '../../support/until.js';
import { BuildDoor } from './build-door.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const limits = { Memory: 2 ** 28, MemorySwap: 2 ** 28, NanoCpus: 0.5e9, CpuShares: 300, PidsLimit: 100 };
const port = 9_377;
/** A service on the loopback address of the engine's machine; prints the paths of its requests. */
const service = `require('node:http').createServer((request, response) => {
  console.log(request.url);
  response.end('{}');
}).listen(${port}, '127.0.0.1', () => console.log('ready'));`;

describe.skipIf(!hasBuildKitEngine())(
  'a build with BuildKit (needs root and scripts/buildkit-engine.sh)',
  () => {
    const seen: string[] = [];
    let engine: BuildKitEngine;
    let listener: ReturnType<typeof spawn>;
    let door: BuildDoor;
    let other: BuildDoor;
    let classic: BuildDoor;

    beforeAll(async () => {
      engine = await BuildKitEngine.start();
      const [nsenter, ...args] = engine.inNetwork(process.execPath, '-e', service);
      listener = spawn(nsenter, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      if (listener.stdout) createInterface(listener.stdout).on('line', (line) => seen.push(line));
      await until('the service', () => seen.includes('ready') || undefined);
      door = await BuildDoor.open(limits, { engine, hasBuildKit: true });
      other = await BuildDoor.open(limits, { engine, hasBuildKit: true });
      classic = await BuildDoor.open(limits, { engine });
    });

    afterAll(async () => {
      for (const one of [door, other, classic]) await one[Symbol.asyncDispose]();
      const ended = once(listener, 'close');
      listener.kill();
      await ended;
      await engine[Symbol.asyncDispose]();
    });

    let builds = 0;
    /** Its steps are in no cache. */
    const from = (text: string) => {
      builds += 1;
      return `FROM ${engine.image}\nENV BUILD=${builds}\n${text}\n`;
    };
    const built = async (text: string, by = door) => {
      const { code, output } = await by.build({ Dockerfile: from(text), a: 'of the context\n' });
      expect(code, output).toBe(0);
      return output;
    };
    const refused = async (text: string, by = door) => {
      const { code, output } = await by.build({ Dockerfile: from(text) });
      expect(code, output).not.toBe(0);
      return output;
    };

    it('has cache mounts, here-documents and modes of copied files, with the name and labels of its workspace', async () => {
      const text = [
        'COPY --chmod=755 --link a /a',
        'RUN --mount=type=cache,target=/c touch /c/x && cat /a',
        'RUN <<EOF',
        'cat /a > /b',
        'EOF',
      ].join('\n');

      expect(await built(text)).toMatch(/of the context/);
      const labels = engine.run('image', 'inspect', '-f', '{{json .Config.Labels}}', door.imageName);
      expect(JSON.parse(labels)).toMatchObject({ 'svc.workspace': door.workspaceId });
    });

    it('is refused to the classic builder, with the reason', async () => {
      expect(await refused('RUN --mount=type=cache,target=/c true', classic)).toMatch(/needs BuildKit/);
    });

    it.each([
      ['a file of an address', 'ADD http://HOST/x /x', /adds no remote files/],
      ['a repository of an address', 'ADD http://HOST/x.git /x', /adds no remote files/],
      ['an image to mount', 'RUN --mount=from=HOST/a/b:1,target=/m true', /at a private address/],
      ['an image to copy from', 'COPY --from=HOST/a/b:1 /a /b', /at a private address/],
      ['a base image', 'FROM HOST/a/b:1', /at a private address/],
      ['the network of the machine', 'RUN --network=host true', /not allowed/],
      ['rights of the machine', 'RUN --security=insecure true', /unknown flag/],
      ['a secret', 'RUN --mount=type=secret,id=x,required=true true', /not found/],
      ['an SSH agent', 'RUN --mount=type=ssh,required=true true', /unset ssh forward key/],
      ['an image of another workspace', 'RUN --mount=from=svc-ws-01other:1,target=/m true', /usable image/],
    ])('never gets %s', async (_, text, reason) => {
      seen.length = 0;

      expect(await refused(text.replaceAll('HOST', `127.0.0.1:${port}`))).toMatch(reason);
      expect(seen).toEqual([]);
    });

    it.each(['# syntax=HOST/a/b:1', '// syntax=HOST/a/b:1', '#!x\n# syntax=HOST/a/b:1'])(
      'runs no frontend of an image: %j',
      async (directive) => {
        seen.length = 0;
        const text = `${directive.replace('HOST', `127.0.0.1:${port}`)}\n${from('RUN true')}`;

        expect(await door.build({ Dockerfile: text })).toMatchObject({ code: 0 });
        expect(seen).toEqual([]);
      },
    );

    /** As if the checks of the agent had missed something. */
    it.each([
      ['a frontend', '# syntax=HOST/a/b:1\nFROM IMAGE\nRUN true'],
      ['a file', 'FROM IMAGE\nADD http://HOST/x /x'],
      ['a repository', 'FROM IMAGE\nADD http://HOST/x.git /x'],
      ['a base image', 'FROM HOST/a/b:1'],
      ['an image to mount', 'FROM IMAGE\nRUN --mount=from=HOST/a/b:1,target=/m true'],
    ])('never fetches %s that was not checked', async (_, text) => {
      seen.length = 0;
      const dockerfile = text.replaceAll('HOST', `127.0.0.1:${port}`).replaceAll('IMAGE', engine.image);

      const { code, output } = await unchecked(dockerfile);

      expect([code, output]).toEqual([1, expect.stringMatching(/denied by policy/)]);
      expect(seen).toEqual([]);
    });

    async function unchecked(dockerfile: string) {
      const folder = mkdtempSync(join(tmpdir(), 'unchecked-'));
      const [archive, policy] = [join(folder, 'a.tar'), join(folder, 'policy.json')];
      writeFileSync(join(folder, 'Dockerfile'), `${dockerfile}\n`);
      spawnSync('tar', ['-C', folder, '-cf', archive, 'Dockerfile']);
      writeFileSync(policy, sourcePolicy([engine.image]));
      if (!door.buildKit) throw new Error('This door has no BuildKit');
      const { workspaceId } = door;
      const build = {
        dockerfile: 'Dockerfile',
        query: new URLSearchParams(),
        buildArguments: new Map(),
        platform: null,
      };
      const { start, cgroupPath } = door.buildKit;
      const child = start(buildxArguments({ ...build, workspaceId, cgroupPath }), { archive, policy });
      let output = '';
      child.stderr?.on('data', (chunk) => {
        output += chunk;
      });
      const [code] = await once(child, 'close');
      return { code, output };
    }

    it('builds nothing of an archive whose Dockerfile was refused', async () => {
      const files = {
        Dockerfile: from(`ADD http://127.0.0.1:${port}/x /x`),
        dockerfile: from('RUN echo "BUILT"'),
      };
      const { code, output } = await door.build(files);

      expect(code).not.toBe(0);
      expect(output).not.toMatch(/BUILT/);
    });

    it('takes a Dockerfile with the name of an address from its context', async () => {
      seen.length = 0;
      const name = `http:/127.0.0.1:${port}/Dockerfile`;

      expect(await door.build({ [name]: from('RUN true') }, ['-f', name])).toMatchObject({ code: 0 });
      expect(seen).toEqual([]);
    });

    it('has the memory of its workspace for all steps together', async () => {
      const hold = (megabytes: number) => `head -c ${megabytes}M /dev/zero | tail | cat > /dev/null`;

      expect(await built(`RUN ${hold(64)} && echo "ENOUGH"`)).toMatch(/ENOUGH/);
      await refused(`SHELL ["/bin/bash", "-o", "pipefail", "-c"]\nRUN ${hold(400)}`);
    });

    it('starts no more processes than its workspace may', async () => {
      const loop =
        'count=0; while [ $count -lt 200 ]; do sleep 60 & count=$((count + 1)); echo $count > /count; done';
      const output = await built(`RUN (${loop}) 2>/dev/null; read count < /count; echo "STARTED=$count."`);
      const started = Number(/STARTED=(\d+)\./.exec(output)?.[1]);

      expect(started).toBeGreaterThan(10);
      expect(started).toBeLessThanOrEqual(limits.PidsLimit);
    });

    it('reads and changes no cache mount of another workspace', async () => {
      const mount = '--mount=type=cache,target=/c,id=shared';
      await built(`RUN ${mount} echo "POISON" > /c/x`, other);

      expect(await built(`RUN ${mount} cat /c/x || echo "EMPTY"`)).toMatch(/^#\d+ [\d.]+ EMPTY/m);
      const outside = mount.replace('shared', `../${other.workspaceId}/shared`);
      expect(await built(`RUN ${outside} cat /c/x || echo "EMPTY"`)).toMatch(/^#\d+ [\d.]+ EMPTY/m);
      expect(await built(`RUN ${mount} cat /c/x`, other)).toMatch(/^#\d+ [\d.]+ POISON/m);
    });

    it.each(['BuildKit', 'the classic builder'])(
      'gets no step of %s that another workspace chose the proxy of',
      async (builder) => {
        const [first, second] =
          builder === 'BuildKit' ? [other, door] : [classic, await BuildDoor.open(limits, { engine })];
        const Dockerfile = from(
          `RUN echo "through [$HTTP_PROXY$https_proxy] for ${builder}" > /p\nRUN cat /p`,
        );
        const proxies = ['HTTP_PROXY=http://evil', 'https_proxy=http://evil'].flatMap((value) => [
          '--build-arg',
          value,
        ]);
        await first.build({ Dockerfile }, proxies);

        const { output } = await second.build({ Dockerfile }, []);
        expect(engine.run('run', '--rm', '--network=none', second.imageName, 'cat', '/p'), output).toMatch(
          /^through \[\]/,
        );
        if (second !== door) await second[Symbol.asyncDispose]();
      },
    );

    it('reaches no address of the machine by the bridge of its steps', () => {
      const rules = spawnSync('iptables', ['--wait', '-S', 'INPUT'], { encoding: 'utf8' }).stdout;

      expect(rules.split('\n').filter((rule) => rule.includes('-i bkt0')).length).toBeGreaterThanOrEqual(2);
    });

    it('ends with its run', async () => {
      const ending = await BuildDoor.open(limits, { engine, hasBuildKit: true });
      const building = ending.build({ Dockerfile: from('RUN touch /started && sleep 1000') });
      const steps = () => stepsOf(ending.place.limitedPath ?? '');
      await until('the step', () => steps().length > 0 || undefined);

      await ending[Symbol.asyncDispose]();

      expect((await building).code).not.toBe(0);
      expect(steps()).toEqual([]);
      expect(existsSync(`/sys/fs/cgroup/pids${ending.place.limitedPath}`)).toBe(false);
    });

    it('leaves no cache mount with its workspace, and no cache beyond the limit', async () => {
      const mount = (name: string) =>
        `RUN --mount=type=cache,target=/c,id=${name} head -c 1M /dev/zero > /c/x`;
      await built(mount('mine'));
      await built(mount('others'), other);

      await removeCacheMounts(engine.docker, door.workspaceId);

      const cached = () => engine.run('system', 'df', '--format', '{{json .BuildCache}}', '-v');
      expect(cached()).not.toContain(`${door.workspaceId}/mine`);
      expect(cached()).toContain(`${other.workspaceId}/others`);
      await pruneBuildCache(engine.docker, 1);
      expect(cached()).not.toContain(`${other.workspaceId}/others`);
    });
  },
);

/** Processes of the steps in a control group. */
function stepsOf(group: string): readonly string[] {
  const find = spawnSync('find', [`/sys/fs/cgroup/pids${group}`, '-name', 'cgroup.procs'], {
    encoding: 'utf8',
  });
  return find.stdout
    .split('\n')
    .filter(Boolean)
    .flatMap((path) => readFileSync(path, 'utf8').split('\n').filter(Boolean));
}

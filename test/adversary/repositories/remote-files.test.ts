import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { BuildDoor } from './build-door.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const limits = {
  Memory: 2 ** 29,
  MemorySwap: 2 ** 29,
  NanoCpus: 1e9,
  CpuShares: 512,
  PidsLimit: 1_024,
};
const trap = 'berth-hostile-base:1';

/** The service stands for everything that listens on the loopback address of a machine. */
describe.skipIf(!hasDocker())('a build and the services of its machine (with a Docker engine)', () => {
  const seen: string[] = [];
  const service = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('secret of the machine');
  });
  let host: string;
  let door: BuildDoor;

  beforeAll(async () => {
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
    const base = `FROM ${baseImage}\nONBUILD ADD http://${host}/onbuild /x\n`;
    spawnSync('docker', ['build', '-t', trap, '-'], {
      input: base,
      env: { ...process.env, DOCKER_BUILDKIT: '0' },
    });
    door = await BuildDoor.open(limits);
  });

  beforeEach(() => {
    seen.length = 0;
  });

  afterAll(async () => {
    await door[Symbol.asyncDispose]();
    docker('rmi', '-f', trap);
    service.close();
  });

  it.each([
    ['an address', 'ADD http://HOST/x /x'],
    ['a list', 'ADD ["http://HOST/x", "/x"]'],
    ['an escaped list', 'ADD ["\\u0068ttp://HOST/x", "/x"]'],
    ['a variable', 'ARG A=http://HOST/x\nADD $A /x'],
    ['a variable of the environment', 'ENV A=tp\nADD ht$A://HOST/x /x'],
    ['a split keyword', 'AD\\\nD http://HOST/x /x'],
    ['quotes', 'ADD h"tt"p://HOST/x /x'],
    ['comments', 'ADD --chown=0:0 \\\n # comment \n\n http://HOST/x /x'],
    ['another escape character', '# escape=`\nFROM BASE\nRUN true \\\nADD http://HOST/x /x'],
    ['a late escape directive', '# syntax=x\n# escape=`\nFROM BASE\nRUN true \\\nADD http://HOST/x /x'],
    ['an image of a registry', 'FROM HOST/octo/x:1'],
    ['an image to copy from', 'COPY --from=HOST/octo/x:1 /a /b'],
    ['a variable for an image', 'ARG R=HOST\nFROM $R/octo/x:1'],
    ['an instruction of its base image', `FROM ${trap}`],
  ])('reads nothing of them with %s', async (_, instructions) => {
    const text = instructions.replaceAll('HOST', host).replaceAll('BASE', baseImage);
    const dockerfile = /^(?:FROM|ARG R|#)/.test(text) ? text : `FROM ${baseImage}\n${text}`;

    const { code, output } = await door.build({ Dockerfile: `${dockerfile}\n` });

    expect(seen).toEqual([]);
    expect(code, output).toBe(1);
    expect(output).toMatch(/adds no remote files|without a variable|at a private address/);
  });

  it('reads nothing of them with a pull of an image', async () => {
    expect(await door.docker(['pull', `${host}/octo/x:1`])).toMatchObject({ code: 1 });
    expect(seen).toEqual([]);
  });

  it('builds the Dockerfile that was checked, whatever lies in its context', async () => {
    const { code, output } = await door.build(
      {
        'build/Dockerfile': `FROM ${baseImage}\nCOPY . /context\nRUN cat /context/build/Dockerfile /context/a\n`,
        Dockerfile: `FROM ${baseImage}\nADD http://${host}/x /x\n`,
        a: 'of the context\n',
      },
      ['--no-cache', '-f', 'build/Dockerfile'],
    );

    expect(code, output).toBe(0);
    expect(output).toMatch(/COPY \. \/context\n.*of the context/s);
    expect(seen).toEqual([]);
  });

  it('checks a Dockerfile outside of the context, as the tool writes it for features', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outside-'));
    const path = join(folder, 'Dockerfile');
    const build = (text: string) => {
      writeFileSync(path, text);
      return door.build({ a: 'a' }, ['--no-cache', '-f', path]);
    };

    expect(await build(`FROM ${baseImage}\nCOPY a /a\n`)).toMatchObject({ code: 0 });
    expect(await build(`FROM ${baseImage}\nADD http://${host}/x /x\n`)).toMatchObject({ code: 1 });
    expect(seen).toEqual([]);
  });

  it('copies from no image of another workspace', async () => {
    const other = 'svc-ws-01other:1';
    const id = docker('image', 'inspect', '-f', '{{.Id}}', baseImage);
    docker('tag', baseImage, other);
    const names = [other, `index.docker.io/library/${other}`, id, id.slice(7, 19), id.slice(7, 9)];
    for (const name of names)
      expect((await door.build({ Dockerfile: `FROM ${name}\n` })).output).toMatch(/not the name of a usable/);
    docker('rmi', other);
  });
});

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { harnessKinds } from '../../../agent/src/harness/harness-kinds.js';
import { harnessMount, storeFolder } from '../../../agent/src/harness/harness-store.js';
import { Installer } from '../../../agent/src/harness/installer.js';
import { ContainerRunner } from '../../../agent/src/workspaces/container/container-runner.js';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { dockerName } from '../../../agent/src/workspaces/container/docker-names.js';
import type { Workspace } from '../../../agent/src/workspaces/workspace.js';
import { findPlatform } from '../../../scripts/agent-binaries/platforms.js';
import { fillHarnessStore, lockedHarnesses } from '../../../scripts/harness-store.js';
import { baseImage, hasDocker } from '../agent/docker-engine.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { docker } from './container-fixture.js';
import { workspaceOf } from './harness-fixture.js';

const minutes = 60_000;
/** Kept between runs. */
const store = fileURLToPath(new URL('../../../.cache/harness-store', import.meta.url));
const lockedKinds = lockedHarnesses().map(({ type }) => type as keyof typeof harnessKinds);

/** `initialize` of ACP, as the program of the harness answers it in the container. */
const ask = `
cd "$(mktemp -d)" && mkfifo in
"$@" <in >out 2>/dev/null & agent=$!
exec 3>in
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}' >&3
until [ -s out ] || ! kill -0 $agent; do sleep 0.05; done
head -n 1 out
kill $agent`;

describe.skipIf(!hasDocker())('a container without a network and without a Node', () => {
  let fake: FakeControlPlane;
  let workspace: Workspace;
  let name: string;
  let isFilled = true;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    workspace = await workspaceOf(fake);
    name = dockerName(workspace.workspaceId);
    await fillHarnessStore(store, findPlatform('linux-amd64')).catch((error: unknown) => {
      if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(String(error))) throw error;
      console.warn('The harness store is not tested: the registry of packages cannot be reached');
      isFilled = false;
    });
    const mount = `type=bind,source=${store},target=${harnessMount},readonly`;
    docker(
      'run',
      '-d',
      '--init',
      '--network',
      'none',
      '--mount',
      mount,
      '--name',
      name,
      baseImage,
      'sleep',
      '600',
    );
  }, 5 * minutes);

  afterAll(async () => {
    docker('rm', '-f', '-v', name);
    await fake[Symbol.asyncDispose]();
  });

  function programOf(kind: (typeof harnessKinds)[keyof typeof harnessKinds]) {
    const commands = new WorkspaceCommands(new ContainerRunner(new DockerEngine(new Docker())));
    const options = {
      timeoutMs: 10_000,
      prefix: '/usr/local',
      isShared: false,
      node: null,
      store: harnessMount,
    };
    const onInstall = () => undefined;
    const { signal } = new AbortController();
    return new Installer(commands, options).ensure({ workspace, kind, onInstall, signal });
  }

  it.each(lockedKinds)('starts %s from the store of its node', async (type) => {
    if (!isFilled) return;
    const kind = harnessKinds[type];
    const began = performance.now();

    const program = await programOf(kind);
    const [, ...args] = kind.command;
    const variables = ['-e', `${kind.apiKeyVariable}=no-key`, '-e', 'HOME=/tmp'];
    const answer = docker('exec', ...variables, name, 'sh', '-c', ask, 'sh', program, ...args);

    console.log(`${kind.name}: ${Math.round(performance.now() - began)} ms to the answer of initialize`);
    expect(program).toBe(`${storeFolder(harnessMount, kind)}/run`);
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  });

  it('installs a version that the store lacks in the container', async () => {
    const kind = harnessKinds['google-gemini'];
    const newer = {
      ...kind,
      installs: [{ by: 'npm', packages: ['@google/gemini-cli@99.0.0'], node: 20 }] as const,
    };

    await expect(programOf(newer)).rejects.toThrow('Gemini could not be installed');
  });
});

it('has a lock file of exactly the version that the agent starts', () => {
  for (const { type, version, program } of lockedHarnesses()) {
    const kind = harnessKinds[type as keyof typeof harnessKinds];
    expect(storeFolder('/s', kind)).toBe(`/s/${type}/${version}`);
    expect(kind.command[0]).toBe(program);
  }
});

it('leaves nothing half made when the packages cannot be had', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'harness-store-'));
  const { npm_config_registry: registry, npm_config_cache: cache } = process.env;
  mkdirSync(join(folder, 'cache'));
  Object.assign(process.env, {
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
  });
  try {
    await expect(fillHarnessStore(join(folder, 'store'), findPlatform('linux-amd64'))).rejects.toThrow('npm');
  } finally {
    for (const [key, value] of Object.entries({ npm_config_registry: registry, npm_config_cache: cache }))
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    delete process.env.npm_config_fetch_retries;
    rmSync(folder, { recursive: true, force: true });
  }
});

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BuiltRelease, buildRelease } from '../../../scripts/agent-binaries/build-release.js';
import { findPlatform } from '../../../scripts/agent-binaries/platforms.js';
import { AgentProcess } from '../agent/agent-process.js';
import { baseImage, hasDocker } from '../agent/docker-engine.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { TerminalClient } from '../agent/terminal-client.js';
import { workspaceRequest } from '../agent/workspace-request.js';

const release = { id: 'c0ffee'.padEnd(40, '0'), isModified: false };
const waiting = { timeout: 30_000, interval: 50 };
const parent = mkdtempSync(join(tmpdir(), 'berth-binaries-'));
const arm64Root = '/usr/aarch64-linux-gnu';

/** An environment that runs arm64 programs: this machine's emulator, with arm64 C libraries. */
const canRunArm64 =
  spawnSync('qemu-aarch64-static', ['--version']).status === 0 &&
  existsSync(`${arm64Root}/lib/libstdc++.so.6`);

let built: BuiltRelease;
let fake: FakeControlPlane;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  const platforms = ['linux-amd64', 'linux-arm64'].map(findPlatform);
  built = await buildRelease({ release, platforms, parent });
}, 600_000);

afterAll(async () => {
  await fake[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, force: true });
});

const binary = (platform: string) => join(built.folder, `vm-agent-${platform}`);
const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('a release', () => {
  it('describes each binary and its sources in the manifest', () => {
    const written = JSON.parse(readFileSync(join(built.folder, 'manifest.json'), 'utf8'));

    expect(written).toEqual(built.manifest);
    expect(written).toMatchObject({
      release: release.id,
      provenance: { commit: release.id, modified: false, tools: { node: process.versions.node } },
    });
    for (const { file, size, sha256: hash, madeFrom } of built.manifest.binaries) {
      const content = readFileSync(join(built.folder, file));
      expect({ size, hash }).toEqual({
        size: content.length,
        hash: createHash('sha256').update(content).digest('hex'),
      });
      expect(madeFrom.node.integrity).toMatch(/^sha512-/);
    }
  });

  it('is byte for byte reproducible in another folder, without paths of the build', async () => {
    const elsewhere = join(parent, 'elsewhere');
    const again = await buildRelease({
      release,
      platforms: [findPlatform('linux-amd64')],
      parent: elsewhere,
    });

    expect(again.manifest.binaries[0]).toEqual(built.manifest.binaries[0]);
    expect(sha256(join(again.folder, 'vm-agent-linux-amd64'))).toBe(sha256(binary('linux-amd64')));
    const content = readFileSync(binary('linux-amd64'));
    expect(content.includes(join(import.meta.dirname, '../../..'))).toBe(false);
  });
});

describe.skipIf(!hasDocker())('linux/amd64, on a system without Node (needs Docker)', () => {
  const workspaceId = ulid();
  const agent = () =>
    new AgentProcess(fake, { NODE_ROLE: 'standalone', SVC_EXIT_WITH_PARENT: '0' }, (environment, folder) => [
      'docker',
      ...['run', '--rm', '--init', '--network=host', `--volume=${folder}:${folder}`],
      `--volume=${binary('linux-amd64')}:/usr/local/bin/vm-agent:ro`,
      ...Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`),
      ...[baseImage, '/usr/local/bin/vm-agent'],
    ]);

  it('has no Node installed', () => {
    const found = spawnSync('docker', ['run', '--rm', baseImage, 'sh', '-c', 'command -v node']);

    expect(found.status).not.toBe(0);
  });

  it('answers health, reports ready, provisions a workspace and opens a terminal', async () => {
    await using running = agent();
    await running.start();

    expect(await running.call('GET', '/health', null)).toEqual({ status: 200, body: { status: 'healthy' } });
    await vi.waitFor(() => expect(fake.callsTo('/ready')).not.toHaveLength(0), waiting);
    const management = await fake.management(workspaceId);
    const created = await running.call(
      'POST',
      '/workspaces',
      management,
      await workspaceRequest(fake, workspaceId),
    );
    expect(created.status).toBe(202);
    await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);

    const terminal = await TerminalClient.open(running, await fake.terminal(workspaceId));
    terminal.send({ type: 'create_session', sessionId: 'one', data: { rows: 24, cols: 80 } });
    await terminal.waitFor('session_created');
    terminal.type('one', 'echo "sum $((20 + 22))"; tty\r');
    await terminal.waitForText(/sum 42[\s\S]*\/dev\/pts\/\d/);
    terminal.socket.terminate();
  });
});

describe.skipIf(!canRunArm64)(
  'linux/arm64, emulated (needs qemu-user-static and libstdc++6-arm64-cross)',
  () => {
    it('listens and answers health', async () => {
      await using running = new AgentProcess(fake, { NODE_ROLE: 'standalone' }, () => [
        'qemu-aarch64-static',
        ...['-L', arm64Root, binary('linux-arm64')],
      ]);
      await running.start();

      expect(await running.call('GET', '/health', null)).toEqual({
        status: 200,
        body: { status: 'healthy' },
      });
    });
  },
);

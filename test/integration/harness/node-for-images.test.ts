import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { harnessKinds } from '../../../agent/src/harness/harness-kinds.js';
import { Installer } from '../../../agent/src/harness/installer.js';
import { ContainerRunner } from '../../../agent/src/workspaces/container/container-runner.js';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { dockerName } from '../../../agent/src/workspaces/container/docker-names.js';
import type { Workspace } from '../../../agent/src/workspaces/workspace.js';
import { baseImage, hasDocker } from '../agent/docker-engine.js';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { docker } from './container-fixture.js';
import { workspaceOf } from './harness-fixture.js';

const kind = harnessKinds['claude-code'];
/** Stands for the distribution's: writes down what it was asked for, and makes the program. */
const npm = `#!/bin/sh
[ "$1" = install ] || exit 0
echo "$@" >/npm-asked; node --version >>/npm-asked
printf '#!/bin/sh\\n' >/usr/local/bin/${kind.command[0]} && chmod 755 /usr/local/bin/${kind.command[0]}
`;

describe.skipIf(!hasDocker())('an image without a fitting Node, in a container without a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'node-for-images-'));
  let fake: FakeControlPlane;
  let workspace: Workspace;
  let name: string;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
  });

  beforeEach(async () => {
    workspace = await workspaceOf(fake);
    name = dockerName(workspace.workspaceId);
    writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
    docker('run', '-d', '--init', '--network', 'none', '--name', name, baseImage, 'sleep', '600');
    docker('cp', join(folder, 'npm'), `${name}:/usr/bin/npm`);
  });

  afterEach(() => {
    docker('rm', '-f', '-v', name);
  });

  afterAll(async () => {
    await fake[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const ensure = (node: string | null) => {
    const commands = new WorkspaceCommands(new ContainerRunner(new DockerEngine(new Docker())));
    const options = { timeoutMs: 60_000, prefix: '/usr/local', isShared: false, node, store: null };
    const signal = new AbortController().signal;
    return new Installer(commands, options).ensure({ workspace, kind, onInstall: () => undefined, signal });
  };
  const inside = (script: string) => docker('exec', name, 'sh', '-c', script);

  it('uses the Node of its machine without a download', async () => {
    await ensure(process.execPath);

    expect(inside('cat /npm-asked')).toMatch(
      /^install --global .*--prefix \/usr\/local @agentclientprotocol\/claude-agent-acp@\d[\d.]+\nv24\./,
    );
    expect(inside('stat -c "%U %a" /usr/local/bin/node')).toBe('root 755');
  });

  it('fails to install without a Node that runs in the image', async () => {
    const strange = join(folder, 'strange');
    writeFileSync(strange, 'of another machine');

    for (const node of [null, strange])
      await expect(ensure(node)).rejects.toThrow(/It needs npm and Node 22 or newer in the image/);
    expect(inside('ls /usr/local/bin')).toBe('');
  });
});

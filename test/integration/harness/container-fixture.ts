import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Docker from 'dockerode';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { dockerName } from '../../../agent/src/workspaces/container/docker-names.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { baseImage } from '../agent/docker-engine.js';
import type { FakeControlPlane } from '../agent/fake-control-plane.js';
import { StandaloneHarnesses, workspaceOf } from './harness-fixture.js';

/**
 * The same in a container, which has this machine's Node and the files of the ACP process at the
 * same paths.
 */
export class ContainerHarnesses extends StandaloneHarnesses implements AsyncDisposable {
  protected override readonly engine = new DockerEngine(new Docker());

  static override async make(
    fake: FakeControlPlane,
    behaviour: Parameters<AcpHarness['behave']>[0] = {},
    environment: Readonly<Record<string, string>> = {},
    inContainer: Readonly<Record<string, string>> = {},
    limits: readonly string[] = [],
  ): Promise<ContainerHarnesses> {
    const folder = mkdtempSync(join(tmpdir(), 'harness-'));
    const acp = await AcpHarness.make(join(folder, 'acp'), behaviour);
    const made = { workspace: await workspaceOf(fake), folder, acp };
    const fixture = new ContainerHarnesses(made, fake, environment);
    const [node, bundle] = acp.command;
    const mounts = [
      `${folder}:${folder}`,
      `${node}:${node}:ro`,
      `${dirname(bundle ?? '')}:${dirname(bundle ?? '')}:ro`,
    ];
    const idle = ['-c', 'mkdir -p /workspaces/full && touch /ready && exec sleep 3600'];
    docker(
      'run',
      '-d',
      '--init',
      '--network',
      'host',
      '--name',
      fixture.name,
      ...limits,
      ...mounts.flatMap((mount) => ['-v', mount]),
      ...Object.entries(inContainer).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      '--entrypoint',
      '/bin/sh',
      baseImage,
      ...idle,
    );
    fixture.inside('until [ -e /ready ]; do :; done');
    return fixture;
  }

  get name(): string {
    return dockerName(this.workspace.workspaceId);
  }

  /** What a script says within the container. */
  inside(script: string): string {
    return docker('exec', this.name, '/bin/sh', '-c', script);
  }

  /** Whether the process is there, by its id within the container, and no zombie. */
  isAlive(pid: number): boolean {
    return /^State:\s+[^Z]/m.test(this.inside(`cat /proc/${pid}/status 2>/dev/null || true`));
  }

  /** What the engine reports of all that runs in it. */
  async execs(): Promise<unknown[]> {
    const { docker: client } = this.engine;
    const { ExecIDs } = await client.getContainer(this.name).inspect();
    return Promise.all((ExecIDs ?? []).map((id) => client.getExec(id).inspect()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    docker('rm', '-f', '-v', this.name);
  }
}

export function docker(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`docker ${args[0]} ended with ${status}: ${stderr}`);
  return stdout.trim();
}

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { baseImage, docker } from '../../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { until } from '../../support/until.js';

/** Limits of the attacker's workspace; the victim's has none of its own. */
export const attackersReservation = { cpuMillis: 500, memoryMb: 640 };

/** A node with two workspaces: an attacker, who is root in its container, and a victim. */
export class TwoTenants implements AsyncDisposable {
  readonly attacker = ulid();
  readonly victim = ulid();

  private constructor(
    readonly fake: FakeControlPlane,
    readonly agent: AgentProcess,
  ) {}

  static async start(): Promise<TwoTenants> {
    const fake = await FakeControlPlane.start();
    const agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_BUILD_QUEUE_DEPTH: '2',
    });
    const tenants = new TwoTenants(fake, agent);
    await agent.start();
    await Promise.all([
      tenants.create(tenants.attacker, { reservation: attackersReservation }),
      tenants.create(tenants.victim, {}),
    ]);
    return tenants;
  }

  /** Where the node keeps the files of its workspaces' git credentials. */
  get runFolder(): string {
    return join(this.agent.folder, 'run');
  }

  /** Runs a shell script in a container as its root. */
  inside(workspaceId: string, script: string, more: readonly string[] = []) {
    const args = ['exec', '-u', '0', ...more, `svc-ws-${workspaceId}`, 'timeout', '10', 'sh', '-c', script];
    const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8' });
    return { status, text: stdout.trim(), stderr };
  }

  attack(script: string) {
    return this.inside(this.attacker, script);
  }

  addressOf(workspaceId: string): { readonly address: string; readonly gateway: string } {
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}';
    const [address = '', gateway = ''] = docker('inspect', '-f', format, `svc-ws-${workspaceId}`).split(' ');
    return { address, gateway };
  }

  /** Starts a service on all addresses of the victim's container and waits until it answers. */
  async serveAtVictim(port: number): Promise<void> {
    const name = `svc-ws-${this.victim}`;
    docker('exec', '-d', name, 'perl', '-MIO::Socket::INET', '-e', echoServer, String(port));
    await until('the service answers the victim', () => {
      const { address } = this.addressOf(this.victim);
      return this.inside(this.victim, connect(address, port)).status === 0 ? true : undefined;
    });
  }

  async remove(workspaceId: string) {
    return this.agent.call('DELETE', `/workspaces/${workspaceId}`, await this.fake.management(workspaceId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [this.attacker, this.victim]) await this.remove(id).catch(() => undefined);
    await this.agent[Symbol.asyncDispose]();
    await this.fake[Symbol.asyncDispose]();
  }

  private async create(id: string, overrides: object): Promise<void> {
    const body = await workspaceRequest(this.fake, id, overrides);
    await this.agent.call('POST', '/workspaces', await this.fake.management(id), body);
    await until(`${id} to be ready`, () => this.fake.callsTo(`${id}/ready`)[0]);
  }
}

/** Shell command that ends with 0 when the connection is accepted within two seconds. */
export function connect(address: string, port: number): string {
  return `timeout 2 bash -c 'exec 3<>/dev/tcp/${address}/${port}' 2>/dev/null`;
}

const echoServer = `
my $server = IO::Socket::INET->new(LocalAddr => '0.0.0.0', LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die;
while (my $client = $server->accept) { print $client "secret of the victim\\n"; close $client; }`;

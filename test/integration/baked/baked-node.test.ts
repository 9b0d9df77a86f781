import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { userData } from '../../../lambdas/domain/nodes/bootstrap.js';
import { hasDocker } from '../agent/docker-engine.js';
import { bootstrapToken, FakeControlPlane, nodeId } from '../agent/fake-control-plane.js';
import { BakedImage, bakedRelease } from './baked-image.js';
import { BakedNode, type NodeBirth } from './baked-node.js';
import { EngineNetwork } from './engine-network.js';

const waiting = { timeout: 120_000, interval: 200 };
const away = { status: 503, body: { error: 'SERVICE_UNAVAILABLE', message: 'away' } };

describe.skipIf(!hasDocker())('the baked image (needs Docker)', () => {
  let network: EngineNetwork;
  let image: BakedImage;
  let fake: FakeControlPlane;
  let node: BakedNode;

  const birth = (more: Partial<NodeBirth> = {}): NodeBirth => ({
    image: image.name,
    network,
    // As the control plane writes it, read by cloud-init.
    userData: userData({ NODE_ID: nodeId, CONTROL_PLANE_URL: fake.url, BOOTSTRAP_TOKEN: bootstrapToken }),
    controlPlanePort: Number(new URL(fake.url).port),
    ...more,
  });
  const readiness = () => fake.callsTo(`/api/nodes/${nodeId}/ready`);
  const answered = () => fake.callsTo('/heartbeat').length;
  const untilHeartbeat = async () => {
    const before = answered();
    await vi.waitFor(() => expect(answered()).toBeGreaterThan(before), waiting);
  };

  beforeAll(async () => {
    network = await EngineNetwork.create();
    fake = await FakeControlPlane.start(network.gateway);
    fake.next.set('bootstrap', [away, away]);
    fake.next.set('ready', [away]);
    image = await BakedImage.bake(network);
    node = await BakedNode.boot(birth());
    await vi.waitFor(() => expect(answered()).toBeGreaterThan(0), waiting);
  }, 600_000);

  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    await image?.[Symbol.asyncDispose]();
    await fake?.[Symbol.asyncDispose]();
    await network?.[Symbol.asyncDispose]();
  });

  it('contains the agent of the release, and the dev container CLI with its own Node', async () => {
    expect(await node.run('cat /etc/berth/release.env')).toContain(`RELEASE=${bakedRelease}\nAGENT_VERSION=`);
    expect(await node.run('/usr/local/bin/vm-agent --version')).toMatch(/^vm-agent \d/);
    expect(await node.run('/opt/berth/tools/devcontainer --version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(node.run('command -v node')).rejects.toThrow();
  });

  it('does not start an agent without a valid signature, and logs the reason', async () => {
    const agent = '/usr/local/bin/vm-agent';
    const lines = () => node.run(`journalctl --boot --unit vm-agent --output cat --grep '^verify-agent: '`);
    expect(await lines()).toContain(`verify-agent: ${agent} is linux-amd64 of release ${bakedRelease}\n`);
    expect(image.log).toContain(`verify-agent: ${agent} is linux-amd64 of release ${bakedRelease}\n`);
    expect(await node.run('stat --format "%U %a" /etc/berth/{manifest.jws,release-keys.json}')).toBe(
      'root 644\n'.repeat(2),
    );
    await node.run(`systemctl stop vm-agent && cp ${agent} /root/vm-agent && printf x >>${agent}`);

    await expect(node.run('systemctl start vm-agent')).rejects.toThrow();

    expect(await lines()).toMatch(
      /^verify-agent: refused: \/usr\/local\/bin\/vm-agent has SHA-256 \w{64}, the signature says \w{64}$/m,
    );
    await expect(node.run('pidof vm-agent')).rejects.toThrow();
    await node.run(`cp /root/vm-agent ${agent} && rm /root/vm-agent && systemctl restart vm-agent`);
    await untilHeartbeat();
  });

  it('becomes ready from its user data, although the control plane does not answer at first', async () => {
    expect(readiness().at(-1)?.body).toMatchObject({ role: 'workspace', port: 8443 });
    expect(fake.callsTo('/api/bootstrap')).toHaveLength(3);
    const ids = fake.callsTo('/api/bootstrap').map(({ body }) => body.redemptionId);
    expect(new Set(ids).size).toBe(1);
    const journal = await node.journal();
    expect(journal).toContain('Bootstrap request failed; retrying');
    expect(journal).toContain('Readiness report failed; retrying');
    expect(journal).toContain('provision.engine completed');
    expect(journal).not.toContain(bootstrapToken);
  });

  it('has no failed unit', async () => {
    expect(await node.run('systemctl list-units --failed --plain --no-legend')).toBe('');
    expect(await node.run('systemctl is-active docker vm-agent berth-firewall berth-boot-guard.timer')).toBe(
      'active\n'.repeat(4),
    );
  });

  it('protects its token and user data from every user but root', async () => {
    const secrets = '/etc/svc/callback-token /etc/svc/node.env /var/lib/vm-agent/tls/node.key';

    expect(await node.run(`stat --format '%U %a' ${secrets}`)).toBe('root 600\n'.repeat(3));
    for (const path of secrets.split(' '))
      await expect(node.run(`setpriv --reuid=nobody --clear-groups cat ${path}`)).rejects.toThrow(
        'Permission denied',
      );
    expect(await node.run('cat /etc/svc/callback-token')).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+\n$/);
  });

  it('accepts connections to the agent only', async () => {
    const certificatePem = String(readiness().at(-1)?.body.certificatePem);
    await node.run('systemd-run --quiet python3 -m http.server 9000');
    await vi.waitFor(() => node.run('exec 3<>/dev/tcp/127.0.0.1/9000'), waiting);

    expect(await node.get('/health', certificatePem)).toEqual({ status: 200, text: '{"status":"healthy"}' });
    expect(await canConnect(await node.address(), 9000)).toBe(false);
  });

  it("allows instance metadata to the machine's root only", async () => {
    // A stand-in for the metadata service, outside of the machine; no packet leaves this host.
    await node.run(`ip netns add imds && ip link add to-imds type veth peer name eth0 netns imds
      ip addr add 198.51.100.1/24 dev to-imds && ip link set to-imds up
      ip -n imds addr add 198.51.100.2/24 dev eth0 && ip -n imds link set eth0 up && ip -n imds link set lo up
      ip -n imds addr add 169.254.169.254/32 dev lo && ip -n imds route add default via 198.51.100.1
      ip route add 169.254.169.254/32 via 198.51.100.2
      systemd-run --quiet ip netns exec imds python3 -m http.server 80 --bind 0.0.0.0
      tar --create --dereference bin/bash lib/x86_64-linux-gnu/libc.so.6 lib/x86_64-linux-gnu/libtinfo.so.6 \
        lib64/ld-linux-x86-64.so.2 | docker import - tiny`);
    const fetch = (address: string) => `/bin/bash -c 'exec 3<>/dev/tcp/${address}/80'`;
    /** 0, or empty when the container still waits after five seconds. */
    const inContainer = (address: string) =>
      node.run(`container=$(docker run --detach tiny ${fetch(address)})
        timeout 5 docker wait "$container"; docker rm --force "$container" >/dev/null`);

    await vi.waitFor(() => node.run(`timeout 2 ${fetch('169.254.169.254')}`), waiting);
    expect(await inContainer('198.51.100.2')).toBe('0\n');
    expect(await inContainer('169.254.169.254')).toBe('');
    expect(await node.run('nft list chain inet berth forward')).toMatch(
      /169\.254\.169\.254 counter packets [1-9]/,
    );
    await expect(
      node.run(`setpriv --reuid=nobody --clear-groups timeout 2 ${fetch('169.254.169.254')}`),
    ).rejects.toThrow();
  });

  it("blocks traffic between workspaces and to its own services, also without the engine's rules", async () => {
    const inNetwork = (network: string, commandLine: string) =>
      node.run(`container=$(docker run --detach --network ${network} tiny /bin/bash -c '${commandLine}')
        timeout 5 docker wait "$container" || echo silent; docker rm --force "$container" >/dev/null`);
    const network = (name: string, subnet: string) =>
      node.run(
        `docker network create --subnet ${subnet} -o com.docker.network.bridge.name=ws-${name} ${name}`,
      );
    await network('one', '10.213.0.0/29');
    await network('two', '10.213.0.8/29');
    await node.run(
      'systemctl is-active --quiet web || systemd-run --quiet --unit web python3 -m http.server 9001',
    );
    await node.run('ip netns add two && ip link add two-in type veth peer name two-out');
    await node.run(`ip link set two-out master ws-two && ip link set two-out up && ip link set two-in netns two
      ip -n two addr add 10.213.0.12/29 dev two-in && ip -n two link set two-in up && ip -n two route add default via 10.213.0.9
      systemd-run --quiet ip netns exec two python3 -m http.server 5173`);
    await vi.waitFor(() => node.run('exec 3<>/dev/tcp/10.213.0.12/5173'), waiting);
    await node.run('iptables -P FORWARD ACCEPT && iptables -F FORWARD');

    expect(await inNetwork('one', 'exec 3<>/dev/tcp/10.213.0.1/8443')).toBe('0\n');
    expect(await inNetwork('one', 'exec 3<>/dev/tcp/10.213.0.1/9001')).toBe('silent\n');
    expect(await inNetwork('one', 'exec 3<>/dev/tcp/10.213.0.12/5173')).toBe('silent\n');
    expect(await inNetwork('bridge', 'exec 3<>/dev/tcp/10.213.0.12/5173')).toBe('silent\n');
    const rules = await node.run('nft list chain inet berth forward');
    expect(rules).toMatch(/iifname "ws-\*" oifname "ws-\*" counter packets [1-9]/);
    expect(rules).toMatch(/iifname "docker0" oifname "ws-\*" counter packets [1-9]/);
  });

  it('sandboxes clones and builds, within the limits of the agent', async () => {
    expect(await node.run('id --user berth-build')).toBe('59998\n');
    const limits = await node.run(
      `grep -E '^(Protect|Lock|Restrict)[A-Za-z]+=' /etc/systemd/system/vm-agent.service`,
    );
    const properties = limits
      .trim()
      .split('\n')
      .map((line) => `--property=${line}`);
    const sandbox =
      'bwrap --unshare-pid --unshare-ipc --unshare-uts --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin ' +
      '--symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev setpriv --reuid=59998 id --user';

    const end = await node.run(`systemd-run --quiet --wait --pipe ${properties.join(' ')} ${sandbox}`);
    expect(end).toBe('59998\n');
  });

  it('starts no program with the rights of root, and opens no device, in the folder of clones', async () => {
    const options = await node.run('findmnt --noheadings --output OPTIONS /var/lib/vm-agent/clones');

    expect(options.trim().split(',')).toEqual(expect.arrayContaining(['nosuid', 'nodev']));
  });

  it('maps root of containers to an unprivileged id', async () => {
    const map = await node.run(
      `docker run --rm tiny /bin/bash -c 'read -r line </proc/self/uid_map; echo $line'`,
    );

    expect(map.trim().split(/ +/)).toEqual(['0', '1000000000', '1000000000']);
  });

  it('ends tools first when memory is short, then the engine, and the agent last', async () => {
    const adjust = (unit: string) => node.run(`systemctl show --property OOMScoreAdjust --value ${unit}`);
    const tool = await node.run(`/opt/berth/tools/git -c alias.x='!cat /proc/self/oom_score_adj' x`);

    expect([await adjust('vm-agent'), await adjust('docker'), tool].map(Number)).toEqual([-900, -800, 500]);
    expect(await node.run('tr "\\0" "\\n" </proc/$(pidof vm-agent)/environ')).toContain(
      'PATH=/opt/berth/tools:',
    );
  });

  it('gives the agent ten times the processor weight of a container', async () => {
    expect(await node.run('systemctl show --property CPUWeight --value vm-agent')).toBe('1000\n');
    expect((await node.run('ps -o ni= -p "$(pidof vm-agent)"')).trim()).toBe('-10');
  });

  it('has no passwords, and installs security updates without restarts', async () => {
    expect(await node.run(`awk -F: '$2 !~ /^[!*]/ { print $1 }' /etc/shadow`)).toBe('');
    const apt = await node.run('apt-config dump');
    expect(apt).toContain('APT::Periodic::Unattended-Upgrade "1"');
    expect(apt).toContain('Unattended-Upgrade::Automatic-Reboot "false"');
  });

  it('limits boot provisioning by its timeout', async () => {
    const provision = 'DOCKER_HOST=unix:///nowhere SYSTEM_PROVISIONING_TIMEOUT=2s SWAP_SIZE_MB=0';

    await expect(node.run(`${provision} /usr/local/lib/berth/provision`)).rejects.toThrow(
      'Provisioning timed out after 2s',
    );
  });

  it('restarts a killed agent with the same identity', async () => {
    const before = await node.run('pidof vm-agent');
    const reported = readiness().length;

    await node.run('kill -KILL $(pidof vm-agent)');
    await vi.waitFor(() => expect(readiness()).toHaveLength(reported + 1), waiting);

    expect(await node.run('pidof vm-agent')).not.toBe(before);
    expect(readiness().at(-1)?.body).toEqual(readiness().at(-2)?.body);
    expect(fake.callsTo('/api/bootstrap')).toHaveLength(3);
  });

  it('is not powered off by the boot guard once it has been ready, also after a reboot', async () => {
    await node.run('systemctl start berth-boot-guard.service');
    expect(await node.journal()).toContain('The node became ready in time');

    await node.restart();
    await untilHeartbeat();

    expect(await node.run('systemctl is-active berth-boot-guard.timer || true')).toBe('inactive\n');
    expect(fake.callsTo('/api/bootstrap')).toHaveLength(3);
  });

  it('powers off when it does not become ready in time', async () => {
    await using lost = await BakedNode.boot(
      birth({
        userData: userData({
          NODE_ID: nodeId,
          CONTROL_PLANE_URL: 'http://127.0.0.1:9',
          BOOTSTRAP_TOKEN: bootstrapToken,
        }),
        files: {
          '/etc/systemd/system/berth-boot-guard.timer.d/test.conf': '[Timer]\nOnBootSec=\nOnActiveSec=20s\n',
        },
      }),
    );

    await vi.waitFor(async () => expect(await lost.journal()).toContain('retrying'), waiting);
    await vi.waitFor(async () => expect(await lost.isOn()).toBe(false), waiting);

    expect(await lost.lastJournal()).toContain('The node did not become ready in time and powers off');
  });
});

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

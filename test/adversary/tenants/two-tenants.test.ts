import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { nodeId } from '../../integration/agent/fake-control-plane.js';
import { until } from '../../support/until.js';
import { attackersReservation, connect, TwoTenants } from './two-tenants.js';

const port = 5173;
/**
 * CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE, SYS_CHROOT,
 * AUDIT_WRITE, SETFCAP.
 */
const capabilities = 'a00404fb'.padStart(16, '0');
const mebibyte = 2 ** 20;

describe.skipIf(!hasDocker())('two workspaces of different people on one engine', () => {
  let tenants: TwoTenants;

  beforeAll(async () => {
    tenants = await TwoTenants.start();
    await tenants.serveAtVictim(port);
  }, 60_000);

  afterAll(() => tenants?.[Symbol.asyncDispose]());

  it('are each on a network of their own, which carries the labels of everything the agent makes', () => {
    for (const id of [tenants.attacker, tenants.victim]) {
      const networks = docker('inspect', '-f', '{{json .NetworkSettings.Networks}}', `svc-ws-${id}`);
      const labels = docker('network', 'inspect', '-f', '{{json .Labels}}', `svc-ws-${id}`);

      expect(Object.keys(JSON.parse(networks))).toEqual([`svc-ws-${id}`]);
      expect(JSON.parse(labels)).toMatchObject({ 'svc.workspace': id, 'svc.node': nodeId });
    }
  });

  it('do not reach each other by address, by gateway or by name', () => {
    const { address, gateway } = tenants.addressOf(tenants.victim);
    const names = [`svc-ws-${tenants.victim}`, tenants.victim.toLowerCase().slice(-12)];

    for (const target of [address, gateway, ...names])
      expect([target, tenants.attack(connect(target, port)).status]).not.toEqual([target, 0]);
    for (const name of names) expect(tenants.attack(`getent hosts ${name}`).text).toBe('');
  });

  // The firewall of the node image drops these packets; test/integration/baked tests the image.
  it('get no instance metadata', () => {
    const read = `exec 3<>/dev/tcp/169.254.169.254/80 && printf "GET /latest/meta-data/ HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3`;

    expect(tenants.attack(`timeout 2 bash -c '${read}' 2>/dev/null`).text).not.toMatch(/^HTTP\/1\.\d 200/);
  });

  it('do not reach the agent, which listens at the loopback address of the node', () => {
    const agentPort = tenants.agent.port;
    const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    const addresses = own.filter(({ family }) => family === 'IPv4').map(({ address }) => address);

    for (const address of addresses)
      expect([address, tenants.attack(connect(address, agentPort)).status]).not.toEqual([address, 0]);
  });

  it.each([
    ['raw frames (ARP)', '17, 3, 0x0300'],
    ['raw IP packets', '2, 3, 255'],
    ['forged ICMP', '2, 3, 1'],
  ])('cannot open a socket for %s', (_, kind) => {
    const { text } = tenants.attack(`perl -e 'print socket(my $s, ${kind}) ? "open" : $!'`);

    expect(text).toBe('Operation not permitted');
  });

  it('have no socket but their own, in a folder that they cannot change', () => {
    const sockets = tenants.attack('find / -xdev -type s 2>/dev/null; find /run/svc -type s');
    const own = docker('inspect', '-f', '{{json .Mounts}}', `svc-ws-${tenants.attacker}`);
    const mounts = JSON.parse(own) as { Type: string; Name?: string; Source: string; RW: boolean }[];

    expect([...new Set(sockets.text.split('\n'))]).toEqual(['/run/svc/git.sock']);
    expect(tenants.attack('touch /run/svc/x').stderr).toContain('Read-only file system');
    expect(mounts.map(({ Type, Name, RW }) => [Type, Name, RW]).sort()).toEqual([
      ['bind', undefined, false],
      ['volume', `svc-ws-${tenants.attacker}`, true],
    ]);
    expect(mounts.filter(({ Source }) => Source.includes(tenants.victim))).toEqual([]);
  });

  it('see no process of the node or of another workspace, and not where they are on the node', () => {
    docker('exec', '-d', `svc-ws-${tenants.victim}`, 'sleep', '4242');

    expect(tenants.attack('cat /proc/[0-9]*/cmdline | tr "\\0" " "').text).not.toContain('4242');
    expect(tenants.attack('kill -0 -- -1 2>/dev/null; ls -d /proc/[0-9]* | wc -l').text).toMatch(/^\d{1,2}$/);
    expect(tenants.attack('cat /proc/self/cgroup').text).not.toMatch(/[0-9a-f]{64}/);
  });

  it.each([
    ['the kernel by its triggers', 'echo b >/proc/sysrq-trigger'],
    ['settings of the kernel', 'echo 1 >/proc/sys/kernel/panic'],
    [
      'limits of their own control group',
      'find /sys/fs/cgroup -name "*max*" -o -name "*limit*" | head -1 | xargs -I@ sh -c "echo 1 >@"',
    ],
    ['the memory of the machine', 'dd if=/proc/kcore of=/dev/null bs=1 count=1 || head -c 1 /dev/mem'],
  ])('do not touch %s', (_, script) => {
    expect(tenants.attack(script).status).not.toBe(0);
  });

  it('mount nothing, make no device and no namespace', () => {
    const attempts = [
      'mount -t proc proc /mnt',
      'mount --bind /proc /mnt',
      'mknod /tmp/disk b 8 0 && dd if=/tmp/disk of=/dev/null count=1',
      'unshare --user --map-root-user true',
      'unshare --mount true',
      'unshare --net true',
      `nsenter --target 1 --net true`,
    ];

    for (const script of attempts) expect([script, tenants.attack(script).status]).not.toEqual([script, 0]);
  });

  it('have exactly the capabilities of a dev container, and the filter of system calls', () => {
    const status = tenants.attack('cat /proc/self/status').text;

    expect(/^CapBnd:\t(\S+)$/m.exec(status)?.[1]).toBe(capabilities);
    expect(/^CapEff:\t(\S+)$/m.exec(status)?.[1]).toBe(capabilities);
    expect(/^Seccomp:\t(\S+)$/m.exec(status)?.[1]).toBe('2');
  });

  it('can still do what a dev container must: own files, become other users, listen on low ports', () => {
    const script = `set -e
      touch /tmp/f && chown nobody /tmp/f && chmod 4755 /tmp/f
      perl -e '$< = $> = 65534; exit($> == 65534 ? 0 : 1)'
      perl -MIO::Socket::INET -e 'IO::Socket::INET->new(LocalPort => 80, Listen => 1) or die $!'
      chroot / true`;

    expect(tenants.attack(script)).toMatchObject({ status: 0 });
  });

  it('cannot use more memory than is reserved, and the other one lives on', () => {
    const { status } = tenants.attack(
      `perl -e 'my $x = "x" x (${attackersReservation.memoryMb} * 1024 * 1024); sleep 1'`,
    );

    expect(status).not.toBe(0);
    expect(tenants.inside(tenants.victim, 'pgrep -f [4]242')).toMatchObject({ status: 0 });
    expect(docker('inspect', '-f', '{{.State.Running}}', `svc-ws-${tenants.attacker}`)).toBe('true');
  });

  it('cannot start more processes than their limit', () => {
    const most = attackersReservation.memoryMb * 2;
    const { text } = tenants.attack(
      `perl -e '$|=1; my $n = 0; while ($n < 3000) { my $p = fork; last unless defined $p; if (!$p) { sleep 5; exit } $n++ } print $n; kill 9, -getpgrp(0)'`,
    );

    expect(Number(text)).toBeGreaterThan(100);
    expect(Number(text)).toBeLessThan(most);
  });

  it('have their limits in the control group and in the heartbeat', async () => {
    const read = (id: string) =>
      tenants
        .inside(
          id,
          `cd /sys/fs/cgroup; cat memory.max pids.max cpu.max 2>/dev/null ||
          cat memory/memory.limit_in_bytes pids/pids.max cpu/cpu.cfs_quota_us`,
        )
        .text.split('\n');
    const [memory, pids, cpu] = read(tenants.attacker);
    const reported = await until('a heartbeat with both containers', () => {
      const { metrics } = (tenants.fake.callsTo('heartbeat').at(-1)?.body ?? {}) as {
        metrics?: { containers: { workspaceId: string; memoryLimitBytes: number }[] };
      };
      return metrics?.containers.length === 2 ? metrics.containers : undefined;
    });

    expect(memory).toBe(String(attackersReservation.memoryMb * mebibyte));
    expect(pids).toBe(String(attackersReservation.memoryMb * 2));
    expect(cpu).toMatch(/^50000\b/);
    expect(read(tenants.victim).every((limit) => /^\d+/.test(limit))).toBe(true);
    const own = reported.find(({ workspaceId }) => workspaceId === tenants.attacker);
    expect(own?.memoryLimitBytes).toBe(attackersReservation.memoryMb * mebibyte);
  });

  it('cannot keep the other one from being removed by wearing its marks', async () => {
    const clone = `SVC_CLONE=${tenants.runFolder}/${tenants.victim}`;
    const wear = `while :; do for mark in ${clone} SVC_BUILD=${tenants.victim}; do
      env $mark sleep 0.2 & done; wait; done`;
    docker('exec', '-d', `svc-ws-${tenants.attacker}`, 'sh', '-c', wear);
    docker('exec', '-d', '-e', clone, `svc-ws-${tenants.attacker}`, 'sleep', '5353');

    const removed = await tenants.remove(tenants.victim);

    expect(removed).toMatchObject({ status: 200 });
    expect(tenants.attack('pgrep -f [5]353')).toMatchObject({ status: 0 });
    expect(docker('network', 'ls', '-q', '-f', `label=svc.workspace=${tenants.victim}`)).toBe('');
    expect(docker('volume', 'ls', '-q', '-f', `label=svc.workspace=${tenants.victim}`)).toBe('');
  }, 20_000);
});

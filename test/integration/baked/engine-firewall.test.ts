import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const rules = join(import.meta.dirname, '../../../ami/files/etc/berth');
const group = '/sys/fs/cgroup/system.slice/docker.service';

/** A network and a tree of control groups of its own; `lo` and `d0` are its interfaces. */
const prepare = `set -e
umount -R /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
ip link add d0 type veth peer name d1
ip link set d0 up
ip link set d1 up
ip addr add 10.9.0.2/24 dev d0
ip addr add fe80::2/64 dev d0 nodad
ip route add default via 10.9.0.1
ip -6 route add default dev d0
mkdir -p ${group}
trap 'echo $$ > /sys/fs/cgroup/cgroup.procs; rmdir ${group}' EXIT`;
const attempt = (address: string) => `timeout 2 bash -c ': > /dev/tcp/${address}' 2>/dev/null || true`;

function inNetwork(script: string) {
  return spawnSync('unshare', ['--mount', '--net', 'bash', '-c', `${prepare}\n${script}`], {
    encoding: 'utf8',
  });
}

const isPossible = inNetwork(`nft -c -f ${rules}/engine.nft`).status === 0;
if (!isPossible) console.warn('The firewall of the engine is not tested: it needs root, nft and cgroup v2');

/** Packets that the rules of the engine have rejected. */
function rejected(address: string, { isEngine }: { readonly isEngine: boolean }): number {
  const { stdout, stderr } = inNetwork(`
    nft -f ${rules}/engine.nft && nft -f ${rules}/engine.nft
    ${isEngine ? `echo $$ > ${group}/cgroup.procs` : ''}
    ${attempt(address)}
    nft list table inet berth_engine`);
  expect(stdout, stderr).toContain('chain engine');
  return [...stdout.matchAll(/counter packets (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.skipIf(!isPossible)('the firewall of a node (needs root and nft)', () => {
  it.each([
    '127.0.0.1/8443',
    '127.8.8.8/80',
    '10.9.0.2/8443',
    '169.254.169.254/80',
    '169.254.170.2/80',
    '::1/8443',
    'fe80::2%d0/80',
    'fd00:ec2::254/80',
  ])('lets the engine fetch nothing from %s', (address) => {
    expect(rejected(address, { isEngine: true })).toBeGreaterThan(0);
  });

  it.each(['198.51.100.1/443', '10.9.0.1/443', '169.254.169.253/53', '127.0.0.53/53'])(
    'lets the engine reach %s',
    (address) => {
      expect(rejected(address, { isEngine: true })).toBe(0);
    },
  );

  it('lets other programs reach the loopback address', () => {
    expect(rejected('127.0.0.1/8443', { isEngine: false })).toBe(0);
  });

  it('is valid as a whole', () => {
    expect(inNetwork(`nft -c -f ${rules}/firewall.nft`)).toMatchObject({ status: 0, stderr: '' });
  });
});

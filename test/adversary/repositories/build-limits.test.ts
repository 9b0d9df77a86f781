import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { until } from '../../support/until.js';
import { BuildDoor } from './build-door.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const limits = {
  Memory: 2 ** 29,
  MemorySwap: 2 ** 29,
  NanoCpus: 0.5e9,
  CpuShares: 300,
  PidsLimit: 200,
};

/** A Dockerfile whose steps print facts, one on each line: `FACT <name>=<value>`. */
const factsOf = (neighbours: readonly string[]) => `FROM ${baseImage}
SHELL ["/bin/bash", "-c"]
RUN fact() { echo "FACT $1=$2"; }; \\
  first() { cat "$@" 2>/dev/null | head -1; }; \\
  group=/sys/fs/cgroup; \\
  fact memory "$(first $group/memory/memory.limit_in_bytes $group/memory.max)"; \\
  fact swap "$(first $group/memory/memory.memsw.limit_in_bytes $group/memory.swap.max)"; \\
  fact cpu "$(first $group/cpu/cpu.cfs_quota_us $group/cpu.max)"; \\
  for address in ${neighbours.join(' ')}; do \\
    timeout 3 bash -c ": > /dev/tcp/$address/7000" 2>/dev/null && open="$open $address"; done; \\
  fact neighbours "${neighbours.length} open:$open"; \\
  fact networks "$(ls /sys/class/net | tr '\\n' ' ')"
SHELL ["/bin/sh", "-c"]
RUN (count=0; while [ $count -lt 400 ]; do sleep 60 & count=$((count + 1)); echo $count > /count; done) 2>/dev/null; \\
  read count < /count; echo "FACT processes=$count"
`;

/** The control groups of a workspace's builds, in every hierarchy. */
function groupsOf(workspaceId: string): readonly string[] {
  const root = '/sys/fs/cgroup';
  const hierarchies = ['', ...(existsSync(root) ? readdirSync(root) : [])];
  const paths = hierarchies.map((name) => join(root, name, 'svc-builds', workspaceId.toLowerCase()));
  return paths.filter((path) => existsSync(path));
}

describe.skipIf(!hasDocker())('a build (with a Docker engine and the base image)', () => {
  let door: BuildDoor;
  let other: BuildDoor;
  let neighbours: readonly string[] = [];
  let facts: Readonly<Record<string, string>> = {};

  const listening = (network: string) => {
    const serve = 'my $s = IO::Socket::INET->new(LocalPort => 7000, Listen => 5); 1 while $s->accept';
    const command = ['perl', '-MIO::Socket::INET', '-e', serve];
    return docker('run', '-d', '--rm', '--network', network, baseImage, ...command);
  };
  const isListening = (container: string) =>
    docker('exec', container, 'bash', '-c', ': > /dev/tcp/127.0.0.1/7000 && echo yes') === 'yes';
  const addressOf = (container: string) =>
    docker('inspect', '-f', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', container);

  beforeAll(async () => {
    door = await BuildDoor.open(limits);
    other = await BuildDoor.open(limits);
    neighbours = [listening(other.network), listening('bridge')];
    await until('the neighbours listen', () => neighbours.every(isListening) || undefined);
    const { output } = await door.build({ Dockerfile: factsOf(neighbours.map(addressOf)) });
    facts = Object.fromEntries(
      [...output.matchAll(/^FACT (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(Object.keys(facts), output).toContain('memory');
  });

  afterAll(async () => {
    docker('rm', '-f', ...neighbours);
    docker('rmi', '-f', door.imageName);
    await Promise.all([door, other].map((one) => one[Symbol.asyncDispose]()));
  });

  it('has the memory and processors of its workspace', () => {
    expect(facts).toMatchObject({
      memory: String(limits.Memory),
      swap: expect.stringMatching(/^(?:0|536870912)$/),
      cpu: expect.stringMatching(/^50000(?: 100000)?$/),
    });
  });

  it('reaches no container of another build or workspace', () => {
    expect(facts).toMatchObject({ neighbours: '2 open:' });
  });

  it('is alone on its network', () => {
    const members = docker('network', 'inspect', '-f', '{{len .Containers}}', door.network);

    expect(members).toBe('0');
    expect(door.network).not.toBe(other.network);
  });

  it('starts no more processes than its workspace may', () => {
    expect(Number(facts.processes)).toBeLessThanOrEqual(limits.PidsLimit);
    expect(Number(facts.processes)).toBeGreaterThan(0);
  });

  it('leaves no network and no control group behind', async () => {
    const door = await BuildDoor.open(limits);
    const { network, workspaceId } = door;
    await door.build({ Dockerfile: `FROM ${baseImage}\nRUN true\n` });

    await door[Symbol.asyncDispose]();

    docker('rmi', '-f', door.imageName);
    expect(docker('network', 'ls', '-q', '--filter', `name=${network}`)).toBe('');
    expect(groupsOf(workspaceId)).toEqual([]);
  });
});

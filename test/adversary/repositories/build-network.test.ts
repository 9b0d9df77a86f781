import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { baseImage, docker, engineGateway, hasDocker } from '../../integration/agent/docker-engine.js';
import { until } from '../../support/until.js';
import { BuildDoor } from './build-door.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const limits = { Memory: 2 ** 29, MemorySwap: 2 ** 29, NanoCpus: 1e9, CpuShares: 512, PidsLimit: 1_024 };
const isPossible = hasDocker() && process.getuid?.() === 0;

/** The service stands for the agent's port of a node, and for all services of a laptop. */
describe.skipIf(!isPossible)('a step of a build and the machine under it (needs root and an engine)', () => {
  let connections = 0;
  const service = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let door: BuildDoor;
  let port: number;

  beforeAll(async () => {
    service.listen(0, '0.0.0.0');
    await once(service, 'listening');
    ({ port } = service.address() as AddressInfo);
    door = await BuildDoor.open(limits);
  });
  beforeEach(() => {
    connections = 0;
  });
  afterAll(async () => {
    await door[Symbol.asyncDispose]();
    docker('rmi', '-f', door.imageName);
    service.close();
  });

  const attempt = (address: string) =>
    `timeout 3 bash -c ": > /dev/tcp/${address}/${port}" 2>/dev/null && echo open || echo closed`;
  /** The address of the machine on the build's own network. */
  const gateway = `$(perl -ne 'if (/^\\S+\\s+00000000\\s+(\\S\\S)(\\S\\S)(\\S\\S)(\\S\\S)/) { print join ".", map hex, $4, $3, $2, $1 }' /proc/net/route)`;

  const addresses = () => [
    ['the gateway of its network', gateway],
    ['the gateway of another network', engineGateway()],
    ...Object.values(networkInterfaces())
      .flat()
      .flatMap((found) => (found?.family === 'IPv4' && !found.internal ? [found.address] : []))
      .slice(0, 1)
      .map((address) => ['an address of the machine', address]),
    ['loopback', '127.0.0.1'],
  ];

  it.each(addresses())('reaches nothing at %s', async (_, address) => {
    const { code, output } = await door.build({
      Dockerfile: `FROM ${baseImage}\nRUN address=${address}; echo "TO [$address]"; ${attempt('$address')}\n`,
    });

    expect(code, output).toBe(0);
    expect(output).toMatch(/^TO \[[\d.]+\]$/m);
    expect(output).toMatch(/^closed$/m);
    expect(connections).toBe(0);
  });

  it('would reach the service without the rules of its network', async () => {
    const command = ['run', '--rm', '--network', 'bridge', baseImage, 'bash', '-c', attempt(engineGateway())];

    expect(docker(...command)).toBe('open');
    await until('the connection', () => connections === 1 || undefined);
  });

  const bridgeOf = ({ network }: BuildDoor) =>
    docker('network', 'inspect', '-f', '{{index .Options "com.docker.network.bridge.name"}}', network);
  const rulesOf = (bridge: string) =>
    spawnSync('iptables', ['--wait', '-S', 'INPUT'], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((rule) => rule.includes(bridge));

  it('leaves no rule behind', async () => {
    const other = await BuildDoor.open(limits);
    const bridge = bridgeOf(other);
    expect(rulesOf(bridge)).toHaveLength(2);

    await other[Symbol.asyncDispose]();

    expect(rulesOf(bridge)).toEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { nodeId } from '../../integration/agent/fake-control-plane.js';
import { LogStreamClient } from '../../integration/agent/log-stream-client.js';
import { until } from '../../support/until.js';
import { HostileWorkspace } from './hostile-workspace.js';

const mebibyte = 2 ** 20;
const memoryBytes = 128 * mebibyte;

describe.skipIf(!hasDocker())('an endless writer in the log of a container', () => {
  const unrotated = `svc-unrotated-${randomUUID()}`;
  let hostile: HostileWorkspace;

  beforeAll(async () => {
    hostile = await HostileWorkspace.start();
    const lines = `yes ${'x'.repeat(4_000)} | head -c 16M; echo end; sleep infinity`;
    const options = ['--log-opt', 'max-size=1g', '--label', `svc.node=${nodeId}`];
    docker('run', '-d', '--name', unrotated, ...options, baseImage, 'sh', '-c', lines);
    await until('the whole log', () => docker('logs', '--tail', '1', unrotated).endsWith('end') || undefined);
  });
  afterAll(async () => {
    docker('rm', '-f', '-v', unrotated);
    await hostile[Symbol.asyncDispose]();
  });

  const read = async (container: string) => {
    const { agent, fake } = hostile.started;
    const path = `/logs?source=docker&container=${container}&limit=1`;
    return (await agent.call('GET', path, await fake.management())).body;
  };
  const flood = () =>
    docker('exec', '-d', hostile.container, 'sh', '-c', 'exec yes "a line for nobody" >/proc/1/fd/1');
  const endFlood = () => hostile.sh('pkill -x yes || true');

  it('ends the reading of a log that its engine does not rotate, with the reason', async () => {
    const { result, grownBytes } = await hostile.growthOf(() => read(unrotated));

    const message = `The log of ${unrotated} exceeded the limit of ${2 * mebibyte} bytes. Its newest lines are left out`;
    expect(result).toMatchObject({ entries: [{ level: 'warn', message }] });
    expect(grownBytes).toBeLessThan(memoryBytes);
  });

  it('fills neither the disk of the node nor the memory of the agent, for a reader that reads nothing', async () => {
    const { agent, fake } = hostile.started;
    const log = docker('inspect', '-f', '{{.LogPath}}', hostile.container);
    const client = await LogStreamClient.open(agent, await fake.management(), 'source=docker');

    const { grownBytes } = await hostile.growthOf(async () => {
      client.socket.pause();
      flood();
      let largest = 0;
      await until('an engine that begins the log again', () => {
        const { size } = statSync(log);
        largest = Math.max(size, largest);
        return size < largest || undefined;
      });
      const page = await read(hostile.container);
      expect(page).toMatchObject({ entries: [{ message: 'a line for nobody' }] });
    });

    expect(grownBytes).toBeLessThan(memoryBytes);
    endFlood();
    await hostile.untilQuiet();
    expect(statSync(log).size).toBeLessThanOrEqual(1.1e6);
    client.socket.terminate();
  });
});

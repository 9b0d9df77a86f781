import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { signalMarkedProcesses } from '../../../agent/src/workspaces/container/signal-marked.js';
import { baseImage, hasDocker } from '../agent/docker-engine.js';
import { docker } from './container-fixture.js';

const name = `berth-marked-${process.pid}`;

describe.skipIf(!hasDocker())('processes with a mark, in a container whose user is not root', () => {
  const engine = new DockerEngine(new Docker());

  beforeAll(() => {
    docker('run', '-d', '--init', '--user', '1000', '--name', name, baseImage, 'sleep', '600');
  });

  afterAll(() => {
    docker('rm', '-f', name);
  });

  it.each([
    ['the user of the container', '1000'],
    ['root', '0'],
  ])('are ended when they run as %s', async (_, user) => {
    // By env: root cannot read the environment of what the engine itself starts as root beside
    // another user.
    const start = (mark: string) =>
      docker('exec', '-d', '--user', user, '-e', `SVC_TEST=${mark}`, name, 'env', 'sleep', '61234');
    start('one');
    start('two');
    const marks = () =>
      docker(
        'exec',
        '--user',
        user,
        name,
        'sh',
        '-c',
        'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep ^SVC_TEST= || true',
      );

    await engine.runAsAll(name, signalMarkedProcesses('KILL', '^SVC_TEST=one$'));

    expect(marks()).toBe('SVC_TEST=two');
    await engine.runAsAll(name, signalMarkedProcesses('KILL', '^SVC_TEST='));
  });
});

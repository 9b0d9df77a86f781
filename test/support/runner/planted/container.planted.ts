import { tmpdir } from 'node:os';
import Docker from 'dockerode';
import { it } from 'vitest';

it('leaves a container', async () => {
  const docker = new Docker();
  await docker.createContainer({
    name: `berth-planted-${process.env.RING}-${process.pid}`,
    Image: process.env.PLANTED_IMAGE ?? '',
    Cmd: ['true'],
    Labels: { 'berth.planted': tmpdir() },
  });
});

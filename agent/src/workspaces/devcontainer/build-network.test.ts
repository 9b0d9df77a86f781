import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { BuildNetwork } from './build-network.js';

const refused = (statusCode: number) => Object.assign(new Error('has active endpoints'), { statusCode });

/** An engine whose network refuses its removal so often, with another container each time. */
function engineThatRefuses(times: number) {
  const removed: string[] = [];
  let exists = false;
  let refusals = 0;
  const network = {
    inspect: async () => {
      if (!exists) throw refused(404);
      return { Containers: { [`step-${refusals}`]: {} } };
    },
    remove: async () => {
      if (refusals < times) {
        refusals += 1;
        throw refused(403);
      }
      exists = false;
    },
  };
  const docker = {
    getNetwork: () => network,
    getContainer: (id: string) => ({ remove: async () => removed.push(id) }),
    createNetwork: async () => {
      exists = true;
    },
  } as unknown as Docker;
  return { docker, removed, isThere: () => exists };
}

const workspace = { workspaceId: '01JD3ZK5W8Q2V7N4B6M9X0TRGH', labels: {} };

it('is removed also when a step of the build still starts a container', async () => {
  const engine = engineThatRefuses(2);
  const network = await BuildNetwork.create(engine.docker, workspace);

  await network[Symbol.asyncDispose]();

  expect(engine.removed).toEqual(['step-0', 'step-1', 'step-2']);
  expect(engine.isThere()).toBe(false);
});

it('does not hide why a build failed when it cannot be removed', async () => {
  const engine = engineThatRefuses(Number.POSITIVE_INFINITY);
  const network = await BuildNetwork.create(engine.docker, { ...workspace, endMs: 200 });
  const build = async () => {
    await using _ = network;
    throw new Error('The build timed out');
  };

  await expect(build()).rejects.toThrow('The build timed out');
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuildDoor } from '../../adversary/repositories/build-door.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';

const limits = { Memory: 2 ** 29, MemorySwap: 2 ** 29, NanoCpus: 1e9, CpuShares: 512, PidsLimit: 1_024 };

describe.skipIf(!hasDocker())('a build whose Dockerfile needs BuildKit (with a Docker engine)', () => {
  let door: BuildDoor;

  beforeAll(async () => {
    door = await BuildDoor.open(limits);
  });
  afterAll(async () => {
    docker('rmi', '-f', door.imageName);
    await door[Symbol.asyncDispose]();
  });

  it.each([
    ['RUN --mount=type=cache,target=/c true', /RUN --mount needs BuildKit\. Remove the flag/],
    ['RUN <<EOF\ntrue\nEOF', /a here-document needs BuildKit\. COPY a file/],
    ['COPY --chmod=755 Dockerfile /', /COPY --chmod needs BuildKit\. Remove the flag/],
  ])('fails with the instruction and its replacement: %s', async (instructions, reason) => {
    const { code, output } = await door.build({ Dockerfile: `FROM ${baseImage}\n${instructions}\n` });

    expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
  });

  it('ignores the frontend that a Dockerfile names', async () => {
    const text = `# syntax=docker/dockerfile:1\nFROM ${baseImage}\nRUN true\n`;

    expect(await door.build({ Dockerfile: text })).toMatchObject({ code: 0 });
  });
});

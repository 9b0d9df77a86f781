import { describe, expect, it } from 'vitest';
import { type BuildRefused, checkDockerfile } from './dockerfile-check.js';

const known: Readonly<Record<string, readonly string[]>> = {
  debian: [],
  'debian:12': [],
  '0': [],
  'trap:1': ['ADD http://127.0.0.1/x /x'],
  'copies:1': ['COPY --from=127.0.0.1:5000/x:1 /a /b'],
};

function check(
  dockerfile: string,
  buildArguments: Readonly<Record<string, string>> = {},
  hasBuildKit = false,
) {
  return checkDockerfile(dockerfile, {
    hasBuildKit,
    workspaceId: '01ABC',
    allowedHosts: ['registry.internal', '10.0.0.9:5000'],
    images: { onBuild: async (name) => known[name] ?? null },
    buildArguments: new Map(Object.entries(buildArguments)),
    platform: null,
  });
}

describe('a build', () => {
  it.each([
    ['FROM debian'],
    ['FROM --platform=linux/amd64 debian:12 AS one\nFROM one\nCOPY --from=one /a /b\nCOPY --from=0 /a /b'],
    ['ARG V=12\nFROM debian:$V'],
    [`ARG V\nFROM debian:\${V:-12}`],
    [`ARG V=12\nARG I="debian:\${V}"\nFROM \${I}`],
    ['FROM scratch'],
  ])('with %j is allowed', async (dockerfile) => {
    await expect(check(dockerfile)).resolves.toBeInstanceOf(Array);
  });

  it('uses the arguments that are given instead of those of the Dockerfile', async () => {
    await expect(check('ARG I=debian\nFROM $I', { I: '127.0.0.1:5000/x' })).rejects.toThrow(
      /private address/,
    );
    expect(await check('ARG I\nFROM $I', { I: 'debian' })).toEqual(['debian']);
  });

  it.each([
    'FROM 127.0.0.1:5000/x:1',
    'FROM localhost/x',
    'FROM LOCALHOST:5000/x',
    'FROM 169.254.169.254/x',
    'FROM 10.0.0.9/x',
    'FROM 192.168.1.1:5000/x',
    'FROM 0.0.0.0:5000/x',
    'FROM debian\nCOPY --from=127.0.0.1:5000/x:1 /a /b',
    'ONBUILD COPY --from=127.0.0.1:5000/x:1 /a /b',
    'FROM copies:1',
    'ARG A=127.0.0.1\nFROM $A:5000/x',
    '# escape=`\nFROM debian\nRUN true `\nFROM debian AS b\nFROM 127.0.0.1:5000/x',
  ])('with %j contacts no registry at a private address', async (dockerfile) => {
    await expect(check(dockerfile)).rejects.toThrow(/is at a private address/);
  });

  it('contacts registries that the operator allows', async () => {
    const refusal = await check('FROM registry.internal/x').catch((error: BuildRefused) => error.message);
    expect(refusal).toBe('image registry.internal/x cannot be pulled');
    await expect(check('FROM 10.0.0.9:5000/x')).rejects.toThrow('cannot be pulled');
  });

  it.each(['FROM trap:1', 'FROM debian AS a\nFROM trap:1', `ARG T=trap\nFROM \${T}:1`])(
    'with %j runs no instruction of its base image that fetches',
    async (dockerfile) => {
      await expect(check(dockerfile)).rejects.toThrow(/adds no remote files/);
    },
  );

  it.each([
    'FROM svc-ws-01other:1',
    'FROM index.docker.io/library/svc-ws-01other:1',
    'FROM 0',
    'FROM 94c22d37def9',
    'FROM debian\nCOPY --from=svc-ws-01other:1 /a /b',
    'FROM debian\nCOPY --from=3 /a /b',
  ])('with %j reads no image of another workspace', async (dockerfile) => {
    await expect(check(dockerfile)).rejects.toThrow(/is not the name of a usable image/);
  });

  it.each(['FROM "debian"', `ARG A=a\nFROM \${A#a}`, 'ARG A=$(x)\nFROM $A', 'FROM deb\\ian'])(
    'with %j is refused: the image cannot be determined',
    async (dockerfile) => {
      await expect(check(dockerfile)).rejects.toThrow(/plain variables only/);
    },
  );

  it('with BuildKit may use the images of FROM, COPY and RUN', async () => {
    const text = [
      'FROM debian AS one',
      'RUN --mount=type=bind,from=debian:12,target=/m --mount=from=one,target=/o true',
      'RUN <<EOF',
      'from os import path',
      'EOF',
    ].join('\n');

    expect(await check(text, {}, true)).toEqual(['debian', 'debian:12']);
  });

  it.each([
    ['RUN --mount=from=127.0.0.1:5000/x:1,target=/m true', /is at a private address/],
    ['RUN --mount=target=/m,FROM=127.0.0.1:5000/x:1 true', /is at a private address/],
    ['RUN --mount=target=/m,"from=127.0.0.1:5000/x:1" true', /write its name with plain variables only/],
    ['RUN --mount=from=svc-ws-01other:1,target=/m true', /is not the name of a usable image/],
    ['RUN --mount=from=0,target=/m true', /is not the name of a usable image/],
    ['RUN <<EOF\nADD http://127.0.0.1/x /x\nEOF', /adds no remote files/],
  ])('with BuildKit and %j is refused', async (instruction, reason) => {
    await expect(check(`FROM debian\n${instruction}\n`, {}, true)).rejects.toThrow(reason);
  });
});

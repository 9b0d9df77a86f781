import { describe, expect, it } from 'vitest';
import { isOwnName, isReadableName, parseImageName } from './image-name.js';

const scope = { workspaceId: '01ABC' };
const foreign = 'svc-ws-01other';
const digest = `sha256:${'a'.repeat(64)}`;

describe('the name of an image', () => {
  it.each([
    foreign,
    `${foreign}:1`,
    `${foreign}@${digest}`,
    `${foreign}:1@${digest}`,
    `library/${foreign}:1`,
    `docker.io/${foreign}:1`,
    `docker.io/library/${foreign}:1`,
    `DOCKER.IO/library/${foreign}:1`,
    `index.docker.io/${foreign}:1`,
    `index.docker.io/library/${foreign}:1`,
    `Index.Docker.io/library/${foreign}:1`,
    `registry-1.docker.io/library/${foreign}:1`,
    `registry.hub.docker.com/library/${foreign}:1`,
    'vsc-01other-features',
    'docker.io/library/vsc-01other-features',
    foreign.toUpperCase(),
    digest,
    'sha256:abcdef',
    'a'.repeat(64),
    'abcdef012345',
    'a',
    '94',
    `docker.io//${foreign}`,
    `./${foreign}`,
    `docker.io:443/../${foreign}`,
    '-a',
    'a b',
    '',
  ])('%j leads to no image of another workspace', (name) => {
    expect(isReadableName(name, scope)).toBe(false);
  });

  it.each([
    'svc-ws-01abc:1',
    'index.docker.io/library/svc-ws-01abc:1',
    'vsc-01abc-features',
    'debian:12',
    `debian:12@${digest}`,
    'abc:latest',
    'octo/tool',
    'ghcr.io/octo/svc-ws-tool:1',
    'localhost:5000/octo/tool@sha256:'.concat('a'.repeat(64)),
    'mcr.microsoft.com/devcontainers/base:bookworm',
  ])('%j can be used', (name) => {
    expect(isReadableName(name, scope)).toBe(true);
  });

  it.each([
    ['debian', 'docker.io', 'debian'],
    ['octo/tool:1', 'docker.io', 'octo/tool'],
    ['index.docker.io/library/debian', 'docker.io', 'debian'],
    ['localhost/a:1', 'localhost', 'a'],
    ['127.0.0.1:5000/a/b:1', '127.0.0.1:5000', 'a/b'],
    ['GHCR.io/a/b', 'ghcr.io', 'a/b'],
  ])('%s is read as the engine reads it', (name, registry, repository) => {
    expect(parseImageName(name)).toEqual({ registry, repository });
  });

  it('belongs to the workspace only without a registry', () => {
    expect(isOwnName('svc-ws-01abc:1', scope)).toBe(true);
    expect(isOwnName('index.docker.io/svc-ws-01abc:1', scope)).toBe(false);
    expect(isOwnName('127.0.0.1:1/svc-ws-01abc:1', scope)).toBe(false);
  });
});

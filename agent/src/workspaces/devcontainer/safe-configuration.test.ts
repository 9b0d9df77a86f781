import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { safeConfiguration } from './safe-configuration.js';

let repository: string;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'safe-'));
  mkdirSync(join(repository, '.devcontainer/feature'), { recursive: true });
  writeFileSync(join(repository, '.devcontainer/Dockerfile'), 'FROM scratch');
});

const make = (wanted: Parameters<typeof safeConfiguration>[0]) =>
  safeConfiguration(wanted, {
    repository,
    path: '.devcontainer/devcontainer.json',
    workDir: '/workspaces/repo',
    volume: 'svc-ws-1',
    imageFolder: '.devcontainer/.image',
    buildOptions: ['--label=a=b'],
    cacheFrom: null,
  });

it('builds a mere image too, so that it can be labelled', async () => {
  const { configuration } = await make({ image: 'some/image' });

  expect(configuration).toEqual({
    workspaceFolder: '/workspaces/repo',
    workspaceMount: 'type=volume,source=svc-ws-1,target=/workspaces',
    build: { dockerfile: '.image/Dockerfile', context: '.image', options: ['--label=a=b'] },
  });
});

it('brings the old form of a build into the new one', async () => {
  const { configuration } = await make({ dockerFile: 'Dockerfile', context: '..' });

  expect(configuration.build).toEqual({ dockerfile: 'Dockerfile', context: '..', options: ['--label=a=b'] });
  expect(configuration.dockerFile).toBeUndefined();
});

it('leaves out what would reach the node, and says so', async () => {
  const { configuration, notes } = await make({
    build: { dockerfile: 'Dockerfile', options: ['--secret=id=x,src=/etc/shadow'] },
    initializeCommand: 'rm -rf /',
    runArgs: ['--privileged'],
    workspaceMount: 'type=bind,source=/,target=/node',
    workspaceFolder: '/node',
  });

  expect(JSON.stringify(configuration)).not.toMatch(/shadow|rm -rf|privileged|\/node/);
  expect(notes).toHaveLength(5);
});

it.each([
  ['/workspaces/repo/sub', '/workspaces/repo/sub'],
  ['/workspaces/repo/sub/', '/workspaces/repo/sub'],
  ['/workspaces/repo/../other', '/workspaces/repo'],
  ['/workspaces/repository', '/workspaces/repo'],
])('for the folder %s takes %s', async (wanted, expected) => {
  const { configuration } = await make({ image: 'x', workspaceFolder: wanted });

  expect(configuration.workspaceFolder).toBe(expected);
});

describe('refuses to build', () => {
  it.each([
    ['several services', { dockerComposeFile: 'compose.yaml' }, 'several services'],
    ['nothing', {}, 'neither an image nor a Dockerfile'],
    [
      'with a context outside',
      { build: { dockerfile: 'Dockerfile', context: '../..' } },
      'context leads out',
    ],
    ['with the root as context', { build: { dockerfile: 'Dockerfile', context: '/' } }, 'context leads out'],
    ['a Dockerfile outside', { dockerFile: '/etc/hostname' }, 'Dockerfile leads out'],
    ['a Dockerfile that is not there', { dockerFile: 'None' }, 'Dockerfile is not in the repository'],
    ['a feature outside', { image: 'x', features: { '../../': {} } }, 'leads out'],
  ])('%s', async (_, wanted, message) => {
    await expect(make(wanted)).rejects.toThrow(message);
  });

  it('a feature with a link that leads out', async () => {
    symlinkSync('/etc/hostname', join(repository, '.devcontainer/feature/stolen'));

    await expect(make({ image: 'x', features: { './feature': {} } })).rejects.toThrow('stolen leads out');
  });
});

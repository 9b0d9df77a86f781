import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BuildFailed } from './build-output.js';
import { safeConfiguration } from './safe-configuration.js';

let repository: string;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'safe-'));
  mkdirSync(join(repository, '.devcontainer/feature'), { recursive: true });
  metadata('feature', { id: 'feature' });
  writeFileSync(join(repository, '.devcontainer/Dockerfile'), 'FROM scratch');
});

function metadata(folder: string, value: object) {
  mkdirSync(join(repository, '.devcontainer', folder), { recursive: true });
  writeFileSync(
    join(repository, '.devcontainer', folder, 'devcontainer-feature.json'),
    `// comment\n${JSON.stringify(value)}`,
  );
}

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

it('builds a plain image too, so that it is labelled', async () => {
  const { configuration } = await make({ image: 'some/image' });

  expect(configuration).toEqual({
    workspaceFolder: '/workspaces/repo',
    workspaceMount: 'type=volume,source=svc-ws-1,target=/workspaces',
    build: { dockerfile: '.image/Dockerfile', context: '.image', options: ['--label=a=b'] },
  });
});

it('converts the old form of build settings', async () => {
  const { configuration } = await make({ dockerFile: 'Dockerfile', context: '..' });

  expect(configuration.build).toEqual({ dockerfile: 'Dockerfile', context: '..', options: ['--label=a=b'] });
  expect(configuration.dockerFile).toBeUndefined();
});

it('ignores settings that reach the node, with a note for each', async () => {
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
    ['nothing', {}, 'must name an image, a Dockerfile or a compose file'],
    [
      'with a context outside',
      { build: { dockerfile: 'Dockerfile', context: '../..' } },
      'context is outside of',
    ],
    [
      'with the root as context',
      { build: { dockerfile: 'Dockerfile', context: '/' } },
      'context is outside of',
    ],
    ['a Dockerfile outside', { dockerFile: '/etc/hostname' }, 'Dockerfile is outside of'],
    ['a Dockerfile that is not there', { dockerFile: 'None' }, 'Dockerfile does not exist in the repository'],
    ['a feature outside', { image: 'x', features: { '../../': {} } }, 'is outside of the folder'],
    ['a feature by an absolute path', { image: 'x', features: { '/etc': {} } }, 'not a valid feature id'],
    ['a feature by a file URL', { image: 'x', features: { 'file:///etc': {} } }, 'not a valid feature id'],
    [
      'an order with a feature outside',
      { image: 'x', overrideFeatureInstallOrder: ['./../../x'] },
      'is outside of the folder',
    ],
  ])('%s', async (_, wanted, message) => {
    await expect(make(wanted)).rejects.toThrow(message);
  });

  it.each(['/etc/hostname', '../Dockerfile'])('a feature with a link to %s', async (target) => {
    symlinkSync(target, join(repository, '.devcontainer/feature/link'));

    await expect(make({ image: 'x', features: { './feature': {} } })).rejects.toThrow(
      'feature/link is a link',
    );
  });

  it('a link in a feature that only other features use', async () => {
    metadata('other', { id: 'other' });
    symlinkSync('/etc/hostname', join(repository, '.devcontainer/other/devcontainer-features.env'));

    await expect(make({ image: 'x' })).rejects.toThrow('is a link');
  });

  it.each(['../../..', 'Other', 'feature', ''])('a feature with the id "%s"', async (id) => {
    metadata('other', { id });

    await expect(make({ image: 'x', features: { './other': {} } })).rejects.toThrow(BuildFailed);
  });

  it.each([{ dependsOn: { '/etc': {} } }, { installsAfter: ['./../../x'] }])(
    'a feature with %j',
    async (more) => {
      metadata('other', { id: 'other', ...more });

      await expect(make({ image: 'x' })).rejects.toThrow(BuildFailed);
    },
  );

  it('a Dockerfile that is a link', async () => {
    writeFileSync(join(repository, 'Dockerfile'), 'FROM scratch');
    symlinkSync('Dockerfile', join(repository, 'Link'));

    await expect(make({ dockerFile: '../Link' })).rejects.toThrow('is a link');
  });

  it('an ignore file that is a link', async () => {
    symlinkSync('/etc/passwd', join(repository, '.dockerignore'));

    await expect(make({ dockerFile: 'Dockerfile', context: '..' })).rejects.toThrow('.dockerignore');
  });
});

it('passes the checked metadata of features to the tool', async () => {
  const { files } = await make({ image: 'x', features: { './feature': {} } });

  expect(files).toEqual({ '.devcontainer/feature/devcontainer-feature.json': '{"id":"feature"}' });
});

it('accepts features of registries and tarballs', async () => {
  const tarball = 'https://files.example.com/devcontainer-feature-go.tgz';
  const features = {
    'ghcr.io/devcontainers/features/node:1': {},
    [tarball]: {},
    'docker.io/a/b@sha256:0a': {},
  };

  await expect(make({ image: 'x', features })).resolves.toMatchObject({ configuration: { features } });
});

it('ignores unknown keys and cache sources that are no images', async () => {
  const { configuration, notes } = await make({
    build: { dockerfile: 'Dockerfile', cacheFrom: ['repo/image:1', 'type=local,src=/etc'] },
    extends: '/etc/passwd',
  });

  expect(configuration).not.toHaveProperty('extends');
  expect(configuration.build).toMatchObject({ cacheFrom: ['repo/image:1'] });
  expect(notes).toHaveLength(2);
});

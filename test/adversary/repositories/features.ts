import type { Entry, HostileRepository } from './hostile-repository.js';

const feature = (id: string, more: object = {}) => JSON.stringify({ id, version: '1.0.0', ...more });
const install = '#!/bin/sh\nset -e\ncat ./* > /stolen 2>/dev/null || true\n';

/**
 * A dev container with these features and their files; metadata is generated when it is missing.
 */
function withFeatures(
  image: string,
  names: readonly string[],
  features: Readonly<Record<string, Readonly<Record<string, Entry>>>>,
): Record<string, Entry> {
  const wanted = Object.fromEntries(names.map((name) => [name, {}]));
  const files: Record<string, Entry> = {
    '.devcontainer/devcontainer.json': JSON.stringify({ image, features: wanted }),
  };
  for (const [name, own] of Object.entries(features)) {
    const all = { 'devcontainer-feature.json': feature(name), 'install.sh': install, ...own };
    for (const [path, entry] of Object.entries(all)) files[`.devcontainer/${name}/${path}`] = entry;
  }
  return files;
}

/** Local features: the tool copies them and writes into the copies. */
export const hostileFeatures: readonly HostileRepository[] = [
  {
    name: 'writes no file through a link of a feature that only another feature names',
    files: ({ outside, image }) =>
      withFeatures(image, ['./one'], {
        one: { 'devcontainer-feature.json': feature('one', { dependsOn: { './two': {} } }) },
        two: { 'devcontainer-features.env': { link: `${outside}/written` } },
      }),
    outcome: 'recovering',
    reason: /two\/devcontainer-features.env is a link/,
    isGrave: true,
  },
  {
    name: 'writes no file outside of the build for a feature with an id that is a path',
    files: ({ outside, image }) =>
      withFeatures(image, ['./one'], {
        one: {
          'devcontainer-feature.json': feature(`${'../'.repeat(20)}${outside.slice(1)}/by-id`, {
            options: { greeting: { type: 'string', default: 'x' } },
          }),
        },
      }),
    outcome: 'recovering',
    reason: /id of lower-case letters|id must be the name/,
    isGrave: true,
  },
  {
    name: 'reads no file of the machine through a link in a feature',
    files: ({ outside, image }) =>
      withFeatures(image, ['./one'], { one: { stolen: { link: `${outside}/canary` } } }),
    outcome: 'recovering',
    reason: /one\/stolen is a link/,
    isGrave: true,
  },
  {
    name: 'copies no folder of the machine through a link to a feature',
    files: ({ outside, image }) => ({
      ...withFeatures(image, ['./one'], {}),
      '.devcontainer/one': { link: outside },
    }),
    outcome: 'recovering',
    reason: /is a link/,
  },
  {
    name: 'takes no feature by an absolute path',
    files: ({ outside, image }) => withFeatures(image, [outside], {}),
    outcome: 'recovering',
    reason: /not a valid feature id/,
  },
  {
    name: 'takes no feature from outside of the folder of features',
    files: ({ image }) => withFeatures(image, [`./${'../'.repeat(12)}etc`], {}),
    outcome: 'recovering',
    reason: /is outside of the folder/,
  },
  {
    name: 'takes no feature by a file URL',
    files: ({ outside, image }) => withFeatures(image, [`file://${outside}`], {}),
    outcome: 'recovering',
    reason: /not a valid feature id/,
  },
  {
    name: 'ends with features that depend on each other',
    files: ({ image }) =>
      withFeatures(image, ['./one'], {
        one: { 'devcontainer-feature.json': feature('one', { dependsOn: { './two': {} } }) },
        two: { 'devcontainer-feature.json': feature('two', { dependsOn: { './one': {} } }) },
      }),
    outcome: 'recovering',
  },
  {
    name: 'takes no dependency that a prototype hides',
    files: ({ image, outside }) =>
      withFeatures(image, ['./one'], {
        one: {
          'devcontainer-feature.json': `{"id":"one","version":"1.0.0","__proto__":{"dependsOn":{"./../../..${outside}":{}}}}`,
        },
      }),
    outcome: 'running',
  },
  {
    name: 'takes no more than 100 features',
    files: ({ image }) =>
      withFeatures(
        image,
        ['./f1'],
        Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, {}])),
      ),
    outcome: 'recovering',
    reason: /more than 100 features/,
  },
  {
    name: 'takes no metadata of megabytes',
    files: ({ image }) =>
      withFeatures(image, ['./one'], {
        one: { 'devcontainer-feature.json': feature('one', { name: 'x'.repeat(2_000_000) }) },
      }),
    outcome: 'recovering',
    reason: /larger than 64 KB/,
  },
  {
    name: 'runs no command on the machine that stands in an option of a feature',
    files: ({ image, outside }) =>
      withFeatures(image, ['./one'], {
        one: {
          'devcontainer-feature.json': feature('one', {
            name: `'; touch ${outside}/by-name; '`,
            options: { 'A B$(id)': { default: `"\n$(touch ${outside}/by-option)\n` } },
          }),
        },
      }),
    // The container has no such folder: the command runs there, and fails.
    outcome: 'recovering',
  },
];

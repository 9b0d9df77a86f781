import type { HostileRepository } from './hostile-repository.js';

const json = (value: object) => ({ '.devcontainer/devcontainer.json': JSON.stringify(value) });

/** Attacks by the content and location of devcontainer.json. */
export const hostileConfigurations: readonly HostileRepository[] = [
  {
    name: 'runs no initializeCommand, run arguments or build options of a repository',
    files: ({ image, outside }) =>
      json({
        build: { dockerfile: 'Dockerfile', options: [`--iidfile=${outside}/by-option`] },
        initializeCommand: `touch ${outside}/by-initialize`,
        runArgs: ['--privileged', '-v', '/:/host'],
        workspaceMount: 'type=bind,source=/,target=/workspaces',
        mounts: [`type=bind,source=${outside},target=/stolen`],
        image,
      }),
    outcome: 'recovering',
    reason: /Dockerfile does not exist in the repository/,
  },
  {
    name: 'leaves initializeCommand, run arguments and mounts of the machine out of what it builds',
    files: ({ image, outside }) =>
      json({
        image,
        initializeCommand: ['sh', '-c', `touch ${outside}/by-initialize`],
        runArgs: ['--privileged', '-v', '/:/host'],
        workspaceMount: 'type=bind,source=/,target=/workspaces',
        mounts: [`type=bind,source=${outside},target=/stolen`],
        extends: `${outside}/canary`,
        secrets: { CANARY: { file: `${outside}/canary` } },
      }),
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'follows no link to a configuration',
    files: ({ outside }) => ({ '.devcontainer/devcontainer.json': { link: `${outside}/canary` } }),
    outcome: 'recovering',
    reason: /link/,
  },
  {
    name: 'follows no link to the folder of a configuration',
    files: ({ image }) => ({
      '.devcontainer': { link: 'real' },
      'real/devcontainer.json': JSON.stringify({ image }),
    }),
    outcome: 'recovering',
    reason: /link/,
  },
  {
    name: 'writes no lock file through a link',
    files: ({ image, outside }) => ({
      ...json({ image }),
      '.devcontainer/devcontainer-lock.json': { link: `${outside}/by-lock` },
    }),
    outcome: 'recovering',
    reason: /is not a plain file|is a link/,
    isGrave: true,
  },
  {
    name: 'writes no lock file of a hidden configuration through a link',
    files: ({ image, outside }) => ({
      '.devcontainer.json': JSON.stringify({ image }),
      '.devcontainer-lock.json': { link: `${outside}/by-lock` },
    }),
    outcome: 'recovering',
    reason: /is not a plain file/,
  },
  {
    name: 'takes no configuration of megabytes',
    files: () => ({ '.devcontainer/devcontainer.json': ' '.repeat(2_000_000) }),
    outcome: 'recovering',
    reason: /larger than 1024 KB/,
  },
  {
    name: 'survives a configuration of deep JSON',
    files: ({ image }) => ({
      '.devcontainer/devcontainer.json': `{"image":"${image}","customizations":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    }),
    outcome: 'recovering',
  },
  {
    name: 'refuses services with rights on the node',
    files: ({ image }) => ({
      ...json({ dockerComposeFile: 'compose.yaml', service: 'a' }),
      '.devcontainer/compose.yaml': `services: {a: {image: ${image}, privileged: true, volumes: ["/:/host"]}}\n`,
    }),
    outcome: 'recovering',
    reason: /Service a: the key privileged is not supported/,
  },
  {
    name: 'mounts no folder of the machine in a service',
    files: ({ image, outside }) => ({
      ...json({ dockerComposeFile: 'compose.yaml', service: 'a' }),
      '.devcontainer/compose.yaml': `services: {a: {image: ${image}}, b: {image: ${image}, volumes: ["${outside}:/x"]}}\n`,
    }),
    outcome: 'recovering',
    reason: /is not a named volume/,
  },
  {
    name: 'follows no link to a compose file',
    files: ({ outside }) => ({
      ...json({ dockerComposeFile: 'compose.yaml', service: 'a' }),
      '.devcontainer/compose.yaml': { link: `${outside}/canary` },
    }),
    outcome: 'recovering',
    reason: /link/,
  },
  {
    name: 'survives file names that look like arguments and lines',
    files: ({ image }) => ({
      ...json({ image }),
      '--help': 'x',
      '-rf': 'x',
      'two\nlines': 'x',
      '.devcontainer/-v\n/:/host': 'x',
    }),
    outcome: 'running',
  },
];

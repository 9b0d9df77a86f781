import type { Entry, HostileRepository } from './hostile-repository.js';

function built(dockerfile: string, more: object = {}, files: Record<string, Entry> = {}) {
  return {
    '.devcontainer/devcontainer.json': JSON.stringify({ build: { dockerfile: 'Dockerfile', ...more } }),
    '.devcontainer/Dockerfile': dockerfile,
    ...files,
  };
}

/** Attacks by a Dockerfile and its build context on the machine that sends them to the engine. */
export const hostileDockerfiles: readonly HostileRepository[] = [
  {
    name: 'fetches no file from a service of the machine',
    files: ({ image, url }) => built(`FROM ${image}\nADD ${url}/api/canary /stolen\n`),
    outcome: 'recovering',
    reason: /a build adds no remote files/,
    isGrave: true,
  },
  {
    name: 'contacts no registry on the machine for a service',
    files: ({ url, image }) => ({
      '.devcontainer/devcontainer.json': JSON.stringify({ dockerComposeFile: 'c.yaml', service: 'a' }),
      '.devcontainer/c.yaml': `services: {a: {image: ${image}}, b: {image: "${new URL(url).host}/octo/x:1"}}\n`,
    }),
    outcome: 'recovering',
    reason: /Service b: registry .* is at a private address/,
    isGrave: true,
  },
  {
    name: 'copies no file from outside of the context',
    files: ({ image, outside }) =>
      built(`FROM ${image}\nCOPY ${'../'.repeat(12)}${outside.slice(1)}/canary /stolen\n`),
    outcome: 'recovering',
  },
  {
    name: 'sends a link of the context as a link',
    files: ({ image, outside }) =>
      built(
        `FROM ${image}\nCOPY stolen /stolen\n`,
        { context: '..' },
        {
          stolen: { link: `${outside}/canary` },
        },
      ),
    outcome: 'recovering',
    isGrave: true,
  },
  {
    name: 'takes no context outside of the repository',
    files: ({ image }) => built(`FROM ${image}\nCOPY . /stolen\n`, { context: '../..' }),
    outcome: 'recovering',
    reason: /context is outside of/,
  },
  {
    name: 'takes no context behind a link',
    files: ({ image, outside }) =>
      built(`FROM ${image}\nCOPY . /stolen\n`, { context: '../linked' }, { linked: { link: outside } }),
    outcome: 'recovering',
    reason: /is a link/,
  },
  {
    name: 'reads no Dockerfile behind a link',
    files: ({ outside }) => built('', { dockerfile: '../linked' }, { linked: { link: `${outside}/canary` } }),
    outcome: 'recovering',
    reason: /is a link/,
  },
  {
    name: 'reads no ignore file behind a link',
    files: ({ image, outside }) =>
      built(`FROM ${image}\n`, { context: '..' }, { '.dockerignore': { link: `${outside}/canary` } }),
    outcome: 'recovering',
    reason: /not a plain file/,
  },
  {
    name: 'gives a build no secret, agent socket or folder of the machine',
    files: ({ image }) =>
      built(
        `FROM ${image}\nRUN --mount=type=ssh --mount=type=secret,id=x,required=true --mount=type=bind,source=/ true\n`,
      ),
    outcome: 'recovering',
  },
  {
    name: 'gives a build no insecure rights',
    files: ({ image }) =>
      built(`# syntax=docker/dockerfile:1-labs\nFROM ${image}\nRUN --security=insecure true\n`),
    outcome: 'recovering',
  },
  {
    name: 'takes no cache from a folder of the machine',
    files: ({ image, outside }) =>
      built(`FROM ${image}\n`, { cacheFrom: [`type=local,src=${outside}`, '--privileged'] }),
    outcome: 'running',
  },
  {
    name: 'takes arguments and targets of a build as values',
    files: ({ image, outside }) =>
      built(`FROM ${image} AS x\nARG A\n`, {
        target: 'x',
        args: { A: `x --iidfile=${outside}/by-argument`, '--iidfile': `${outside}/by-name` },
      }),
    outcome: 'running',
  },
];

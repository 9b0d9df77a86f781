import type { HostileRepository, Target } from './hostile-repository.js';

const commit = '1'.repeat(40);
const submodule = (path: string, url: string, more = '') =>
  `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n${more}`;
const gitlink = (path: string) => ({ [path]: { submodule: commit } });

const withSubmodule = (url: (target: Target) => string, more?: (target: Target) => string) =>
  ((target) => ({
    'README.md': 'read me\n',
    '.gitmodules': submodule('sub', url(target), more?.(target)),
    ...gitlink('sub'),
  })) satisfies HostileRepository['files'];

/** Attacks on git when a repository is cloned on the node. */
export const hostileClones: readonly HostileRepository[] = [
  {
    name: 'runs no command that is the address of a submodule',
    files: withSubmodule(({ outside }) => `ext::sh -c 'touch ${outside}/by-ext'`),
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'clones no submodule from a folder of the machine',
    files: withSubmodule(({ outside }) => `file://${outside}`),
    outcome: 'running',
  },
  {
    name: 'clones on without a submodule at the address of the metadata service',
    files: withSubmodule(() => 'https://169.254.169.254/latest/meta-data'),
    outcome: 'running',
  },
  {
    name: 'follows no link in the place of a submodule',
    files: ({ outside, url }) => ({
      'README.md': 'read me\n',
      '.gitmodules': submodule('sub/inner', `${url}/git/full.git`),
      sub: { link: outside },
    }),
    outcome: 'running',
  },
  {
    name: 'runs no update command of a submodule',
    files: withSubmodule(
      ({ url }) => `${url}/git/full.git`,
      ({ outside }) => `\tupdate = !touch ${outside}/by-update\n`,
    ),
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'writes no submodule to a path outside of the repository',
    files: ({ url }) => ({
      'README.md': 'read me\n',
      '.gitmodules': `[submodule "../../../outside"]\n\tpath = sub\n\turl = ${url}/git/full.git\n`,
      ...gitlink('sub'),
    }),
    outcome: 'running',
  },
  {
    name: 'takes no address of a submodule for an option',
    files: withSubmodule(({ outside }) => `-u./touch ${outside}/by-option`),
    outcome: 'running',
  },
  {
    name: 'follows no link to .gitmodules',
    files: ({ outside }) => ({
      'README.md': 'read me\n',
      '.gitmodules': { link: `${outside}/canary` },
      ...gitlink('sub'),
    }),
    outcome: 'failed',
  },
  {
    name: 'runs no hook and no filter of a repository',
    files: ({ outside }) => ({
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      '.gitconfig': `[core]\n\thooksPath = .githooks\n[filter "evil"]\n\tsmudge = touch ${outside}/by-filter\n`,
      '.githooks/post-checkout': `#!/bin/sh\ntouch ${outside}/by-hook\n`,
      'hooks/post-checkout': `#!/bin/sh\ntouch ${outside}/by-hook\n`,
      'README.md': 'read me\n',
    }),
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'asks no server of large files that the repository names',
    files: ({ url }) => ({
      '.gitattributes': '* filter=lfs\n',
      '.lfsconfig': `[lfs]\n\turl = ${url}/lfs\n`,
      'README.md': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
    }),
    outcome: 'running',
  },
];

import type { HostileRepository } from './hostile-repository.js';

const plain: HostileRepository['files'] = ({ image }) => ({
  '.devcontainer/devcontainer.json': JSON.stringify({ image }),
  'README.md': 'read me\n',
});

/** Attacks by files in the volume before a rebuild. The attacker is root of the container. */
export const hostileRebuilds: readonly HostileRepository[] = [
  {
    name: 'checks the configuration again at each rebuild',
    files: plain,
    change: ({ outside }) =>
      `cd .devcontainer && mkdir f && ln -s ${outside}/by-rebuild f/devcontainer-features.env && ` +
      `echo '{"id":"f","version":"1.0.0"}' > f/devcontainer-feature.json && echo true > f/install.sh && ` +
      `sed -i 's#^{#{"features":{"./f":{}},#' devcontainer.json`,
    outcome: 'recovering',
    reason: /is a link/,
    isGrave: true,
  },
  {
    name: 'follows no link that takes the place of the configuration folder',
    files: plain,
    change: ({ outside }) => `rm -r .devcontainer && ln -s ${outside} .devcontainer`,
    outcome: 'running',
  },
  {
    name: 'runs no program that the settings of a changed repository name',
    files: plain,
    change: ({ outside }) =>
      `git config core.fsmonitor 'touch ${outside}/by-fsmonitor' && git config core.pager 'touch ${outside}/by-pager' && ` +
      `git config alias.rev-parse '!touch ${outside}/by-alias' && git config include.path ${outside}/canary && ` +
      `printf '#!/bin/sh\\ntouch ${outside}/by-hook\\n' > .git/hooks/post-checkout && chmod +x .git/hooks/post-checkout`,
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'opens no pipe and no device of a changed configuration',
    files: plain,
    change: () => 'mkfifo .devcontainer/pipe; mknod .devcontainer/null c 1 3; true',
    outcome: 'running',
  },
  {
    name: 'opens no pipe in the place of the configuration',
    files: plain,
    change: () => 'rm .devcontainer/devcontainer.json && mkfifo .devcontainer/devcontainer.json',
    outcome: 'running',
  },
  {
    name: 'reads files that only their owner may read, and leaves no program with the rights of root',
    files: plain,
    change: () => 'chmod 600 .devcontainer/devcontainer.json && cp /bin/sh shell && chmod 4755 shell',
    outcome: 'running',
  },
];

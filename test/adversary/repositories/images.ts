import type { HostileRepository } from './hostile-repository.js';

const dockerfile = (text: string, more: object = {}) => ({
  '.devcontainer/devcontainer.json': JSON.stringify({ build: { dockerfile: 'Dockerfile' }, ...more }),
  '.devcontainer/Dockerfile': text,
});

/** Attacks by the settings of an image. */
export const hostileImages: readonly HostileRepository[] = [
  {
    name: 'grants nothing of the machine that a label of an image asks for',
    files: ({ image, outside }) => {
      const wanted = [
        {
          privileged: true,
          capAdd: ['SYS_ADMIN'],
          mounts: [`type=bind,source=${outside},target=/stolen`],
          initializeCommand: `touch ${outside}/by-label`,
          onCreateCommand: 'cat /stolen/canary > /tmp/found || true',
        },
      ];
      const label = JSON.stringify(JSON.stringify(wanted));
      return dockerfile(`FROM ${image}\nLABEL devcontainer.metadata=${label}\n`);
    },
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'takes no label of an image for one of its own',
    files: ({ image }) =>
      dockerfile(
        `FROM ${image}\nLABEL svc.service=not-json svc.ports=not-json svc.memory=x svc.workspace=another\n` +
          `LABEL svc.startup='{"user":"root","commands":["touch /workspaces/canary-found"]}'\n`,
      ),
    outcome: 'running',
    isGrave: true,
  },
  {
    name: 'takes no label of an image of a service for one of its own',
    files: ({ image }) => ({
      '.devcontainer/devcontainer.json': JSON.stringify({ dockerComposeFile: 'c.yaml', service: 'a' }),
      '.devcontainer/c.yaml': `services: {a: {build: {context: .}}, b: {image: ${image}, command: sleep 600}}\n`,
      '.devcontainer/Dockerfile': `FROM ${image}\nLABEL svc.service='{"name":"x","ready":"healthy","order":0}'\n`,
    }),
    outcome: 'running',
  },
  {
    name: 'runs instructions of a base image in the build only',
    files: ({ image, outside }) => dockerfile(`FROM ${image}\nONBUILD RUN touch ${outside}/by-onbuild\n`),
    // The container of the build has no such folder: the instruction runs there, and fails.
    outcome: 'recovering',
  },
  {
    name: 'builds on no network of the machine',
    files: ({ image, url }) =>
      dockerfile(
        `FROM ${image}\nRUN exec 3<>/dev/tcp/127.0.0.1/${new URL(url).port} || true\n` +
          `SHELL ["/bin/bash", "-c"]\nRUN exec 3<>/dev/tcp/127.0.0.1/${new URL(url).port}\n`,
      ),
    outcome: 'recovering',
  },
  {
    name: 'grants no network of the machine to a step of a build',
    files: ({ image }) => dockerfile(`FROM ${image}\nRUN --network=host true\n`),
    outcome: 'recovering',
    reason: /RUN --network needs BuildKit/,
    reasonOfBuildKit: /not allowed/,
  },
  {
    name: 'gives a build no variables of the machine',
    files: ({ image }) => ({
      '.devcontainer/devcontainer.json': JSON.stringify({
        image,
        containerEnv: { STOLEN: `\${localEnv:CALLBACK_TOKEN_FILE}\${localEnv:BOOTSTRAP_TOKEN}` },
        onCreateCommand: '[ -z "$STOLEN" ] || touch /workspaces/canary-found',
      }),
    }),
    outcome: 'running',
  },
];

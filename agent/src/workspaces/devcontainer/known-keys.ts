import type { Configuration } from './configuration.js';

/** What the tool is given of a devcontainer.json. A key that is not here is left out, whatever the tool does with it. */
const known = new Set([
  'name',
  'features',
  'overrideFeatureInstallOrder',
  'containerEnv',
  'remoteEnv',
  'containerUser',
  'remoteUser',
  'updateRemoteUserUID',
  'userEnvProbe',
  'mounts',
  'init',
  'privileged',
  'capAdd',
  'securityOpt',
  'overrideCommand',
  'onCreateCommand',
  'updateContentCommand',
  'postCreateCommand',
  'postStartCommand',
  'postAttachCommand',
  'waitFor',
  'customizations',
]);

/** Read elsewhere, or without an effect on a build. */
const silent = new Set([
  '$schema',
  'configFilePath',
  'image',
  'build',
  'dockerFile',
  'context',
  'workspaceFolder',
  'workspaceMount',
  'initializeCommand',
  'runArgs',
  'forwardPorts',
  'appPort',
  'portsAttributes',
  'otherPortsAttributes',
  'hostRequirements',
  'shutdownAction',
  'secrets',
]);

export function knownKeys(wanted: Configuration): {
  readonly kept: Readonly<Record<string, unknown>>;
  readonly unknown: readonly string[];
} {
  const entries = Object.entries(wanted);
  return {
    kept: Object.fromEntries(entries.filter(([key]) => known.has(key))),
    unknown: entries.map(([key]) => key).filter((key) => !known.has(key) && !silent.has(key)),
  };
}

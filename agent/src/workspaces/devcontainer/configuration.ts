import * as z from 'zod/mini';

const Texts = z.array(z.string());
/** A mount in either of its two forms. */
export const Mount = z.union([
  z.string(),
  z.looseObject({ type: z.optional(z.string()), source: z.optional(z.string()), target: z.string() }),
]);
export type Mount = z.infer<typeof Mount>;

/** The keys of devcontainer.json that the agent evaluates; the tool evaluates the others. */
export const Configuration = z.looseObject({
  image: z.optional(z.string()),
  build: z.optional(
    z.looseObject({
      dockerfile: z.optional(z.string()),
      context: z.optional(z.string()),
      target: z.optional(z.string()),
      args: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
      options: z.optional(Texts),
      cacheFrom: z.optional(z.union([z.string(), Texts])),
    }),
  ),
  dockerFile: z.optional(z.string()),
  context: z.optional(z.string()),
  dockerComposeFile: z.optional(z.unknown()),
  features: z.optional(z.record(z.string(), z.unknown())),
  overrideFeatureInstallOrder: z.optional(Texts),
  initializeCommand: z.optional(z.unknown()),
  runArgs: z.optional(Texts),
  workspaceFolder: z.optional(z.string()),
  workspaceMount: z.optional(z.string()),
  forwardPorts: z.optional(z.unknown()),
  portsAttributes: z.optional(z.unknown()),
  hostRequirements: z.optional(z.unknown()),
});
export type Configuration = z.infer<typeof Configuration>;

/** The merged settings of image, features and devcontainer.json. */
export const MergedConfiguration = z.looseObject({
  containerUser: z.optional(z.string()),
  remoteUser: z.optional(z.string()),
  containerEnv: z._default(z.record(z.string(), z.string()), {}),
  remoteEnv: z._default(z.record(z.string(), z.nullable(z.string())), {}),
  workspaceFolder: z.optional(z.string()),
  privileged: z.optional(z.boolean()),
  capAdd: z._default(Texts, []),
  securityOpt: z._default(Texts, []),
  mounts: z._default(z.array(Mount), []),
  entrypoints: z._default(Texts, []),
  overrideCommand: z.optional(z.boolean()),
});
export type MergedConfiguration = z.infer<typeof MergedConfiguration>;

/** Keys of devcontainer.json that are passed to the tool. All other keys are left out. */
const passedKeys = new Set([
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

/** Keys that are evaluated elsewhere or do not affect a build. */
const ignoredKeys = new Set([
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
  'service',
  'runServices',
  'secrets',
]);

export function knownKeys(requested: Configuration): {
  readonly kept: Readonly<Record<string, unknown>>;
  readonly unknown: readonly string[];
} {
  const entries = Object.entries(requested);
  return {
    kept: Object.fromEntries(entries.filter(([key]) => passedKeys.has(key))),
    unknown: entries.map(([key]) => key).filter((key) => !passedKeys.has(key) && !ignoredKeys.has(key)),
  };
}

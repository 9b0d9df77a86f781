import * as z from 'zod/mini';
import { ChannelLimits } from './channel-limits.js';
import {
  type Context,
  type GivenSettings,
  givenSettings,
  WrongSettings,
  withoutEmpty,
} from './given-settings.js';

const generation = z.int().check(z.positive());
const text = z.string().check(z.minLength(1));
const hostName = z.string().check(z.regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/, 'must be a host name'));

const httpsUrl = z.url({ protocol: /^https$/ });

/**
 * `--context name=value` on the command line is always text; cdk.json and tests may say it
 * properly.
 */
const jsonOr = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.pipe(
    z.transform((value) => (typeof value === 'string' ? parsedOrText(value) : value)),
    schema,
  );

function parsedOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const deploymentIdRule = 'must be 2 to 20 lower-case letters, digits and hyphens, and begin with a letter';
const listText = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
const numericIds = /^\s*[1-9][0-9]*\s*(,\s*[1-9][0-9]*\s*)*$/;
const superadminsMissing =
  'name at least one superadmin by the numeric id of the account on the code host, several with commas between: ' +
  '-c superadmins=<id>. The id is the field `id` of https://api.github.com/users/<login>, ' +
  'or of <codeHostApiUrl>/users/<login> of your own code host';

const InstanceType = z.strictObject({
  name: z
    .string()
    .check(z.regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'must be an instance type, t4g.large for example')),
  vcpu: z.int().check(z.positive()),
  memoryGb: z.number().check(z.positive()),
  diskGb: z.int().check(z.gte(20), z.lte(16_384)),
  architecture: z._default(z.enum(['arm64', 'x86_64']), 'arm64'),
  /** Of the machine, without disk and address. For people: no code computes with it. */
  dollarsPerHour: z.optional(z.number().check(z.nonnegative())),
});
const InstanceTypes = z.array(InstanceType).check(
  z.minLength(1),
  z.maxLength(12),
  z.refine((types) => new Set(types.map(({ architecture }) => architecture)).size === 1, {
    message: 'must all have one architecture, that of the node image',
  }),
  z.refine((types) => new Set(types.map(({ name }) => name)).size === types.length, {
    message: 'must name each type once',
  }),
);

/** On-demand prices of us-east-1 in November 2026. */
const defaultInstanceTypes = (
  [
    { name: 't4g.medium', vcpu: 2, memoryGb: 4, diskGb: 40, dollarsPerHour: 0.0336 },
    { name: 't4g.large', vcpu: 2, memoryGb: 8, diskGb: 60, dollarsPerHour: 0.0672 },
    { name: 't4g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140, dollarsPerHour: 0.1344 },
    { name: 't4g.2xlarge', vcpu: 8, memoryGb: 32, diskGb: 300, dollarsPerHour: 0.2688 },
  ] as const
).map((type) => ({ ...type, architecture: 'arm64' as const }));

const seconds = jsonOr(z.int().check(z.positive()));
const secondsFrom = (least: number) => jsonOr(z.int().check(z.gte(least)));
const flag = jsonOr(z.boolean());

const shape = {
  /**
   * Prefix of every stack and the value of the tag on every node: one account can hold several
   * deployments.
   */
  deploymentId: z._default(z.string().check(z.regex(/^[a-z][a-z0-9-]{1,19}$/, deploymentIdRule)), 'berth'),
  /** The front address under an own domain; needs `certificateArn` (us-east-1). */
  domainName: z.optional(hostName),
  certificateArn: z.optional(text),
  /** With it, infra points `domainName` at the distribution; without, the operator does. */
  hostedZoneId: z.optional(text),
  hostedZoneName: z.optional(hostName),
  /**
   * Nodes are `<nodeId>.<nodesDomain>`; needs `nodesZoneId`. Without, they are known by IP and
   * certificate.
   */
  nodesDomain: z.optional(hostName),
  nodesZoneId: z.optional(text),
  /**
   * ACME directory of the authority of certificates for the addresses of nodes; `off`: none.
   * Without it, Let's Encrypt on AWS without `nodesDomain`.
   */
  acmeDirectory: z.optional(z.union([z.literal('off'), httpsUrl])),
  acmeContact: z.optional(z.email()),
  acmeProfile: z._default(
    z.string().check(z.regex(/^[\w.-]{1,64}$/, 'must be the name of a profile')),
    'shortlived',
  ),
  /** PEM of the authorities of the directory's own certificate, if it is not public. */
  acmeTrustAnchors: z.optional(
    z.string().check(z.startsWith('-----BEGIN CERTIFICATE-----'), z.maxLength(2_000)),
  ),
  /**
   * Wins over the domain and the distribution's own name, for nodes too: the laptop's front
   * address.
   */
  publicUrl: z.optional(z.url()),
  workspaceUrlTemplate: z.optional(text),
  /**
   * Where PostToConnection goes; `{apiId}` is replaced. The emulator's does not follow from the
   * API's id.
   */
  liveEndpointTemplate: z.optional(text),
  codeHostUrl: z._default(z.url(), 'https://github.com'),
  codeHostApiUrl: z._default(z.url(), 'https://api.github.com'),
  codeHostAppSlug: z._default(text, 'berth'),
  /** Where stored API keys are checked; without a provider its keys are not checked. */
  providerUrls: z._default(jsonOr(z.record(z.string(), z.url())), {
    anthropic: 'https://api.anthropic.com',
    openai: 'https://api.openai.com',
    google: 'https://generativelanguage.googleapis.com',
    mistral: 'https://api.mistral.ai',
  }),
  ec2EndpointUrl: z.optional(z.url()),
  /** Generations of the JWT signing key that are published; the first one signs. */
  signingKeyGenerations: z._default(jsonOr(z.array(generation).check(z.minLength(1))), [1]),
  /** Generations of the origin secret that functions accept; CloudFront sends the first one. */
  originSecretGenerations: z._default(jsonOr(z.array(generation).check(z.minLength(1))), [1]),
  /**
   * Most requests of one route that reads a node at a time; needs an account with room
   * (docs/deploying.md).
   */
  nodeReadConcurrency: z.optional(seconds),
  /**
   * Multiplies what each limit of a person allows in its window; requests in progress stay as they
   * are.
   */
  limitFactor: z._default(jsonOr(z.number().check(z.positive())), 1),
  nodeReadyTimeoutSeconds: z._default(secondsFrom(10), 900),
  /**
   * Half of it, the most that a node may be silent, has to be longer than the interval of its
   * beats.
   */
  workspaceReadyTimeoutSeconds: z._default(secondsFrom(60), 1800),
  /**
   * Types of nodes, the smallest first: a node is of the first one that holds its first workspace.
   * The next ones are tried when EC2 refuses it.
   */
  nodeInstanceTypes: z._default(jsonOr(InstanceTypes), defaultInstanceTypes),
  /** How much more CPU than a node has its workspaces may reserve. */
  cpuOvercommit: z._default(jsonOr(z.number().check(z.gte(1), z.lte(16))), 2),
  /**
   * A node that uses this much of its CPU, memory or disk gets no further workspaces; above 100, it
   * does.
   */
  nodeSaturationPercent: z._default(jsonOr(z.int().check(z.gte(1), z.lte(101))), 90),
  /** Stopped machines of the type of default workspaces that wait for a node. */
  warmNodes: z._default(jsonOr(z.int().check(z.gte(0), z.lte(20))), 0),
  nodeCapacity: z._default(seconds, 3),
  maxNodesPerUser: z._default(seconds, 10),
  /**
   * Parameter Store name that the bake writes the newest image's id to; without it
   * `/<deploymentId>/ami/arm64`.
   */
  nodeImageParameter: z.optional(z.string().check(z.startsWith('/'))),
  workspaceImage: z.optional(text),
  /** `npm run release` puts this workspace image into the node image. */
  bakedWorkspaceImage: z.optional(text),
  /** Workspaces that a person keeps, running or not. */
  maxWorkspacesPerUser: z._default(seconds, 500),
  /** Open live sockets of a person, and of the whole deployment. */
  maxSocketsPerUser: z._default(secondsFrom(32), 128),
  maxSockets: z._default(secondsFrom(128), 4_000),
  /** Most nodes of the whole deployment, whoever they belong to. */
  maxNodes: z._default(seconds, 50),
  /** Numeric ids of accounts on the code host. Nobody else is a superadmin. */
  superadmins: z.pipe(
    z.transform((value) => (typeof value === 'number' ? String(value) : (value ?? ''))),
    z.string().check(z.maxLength(400), z.regex(numericIds, superadminsMissing)),
  ),
  /** Who may sign in beside superadmins, comma separated: with nothing listed, nobody. */
  allowedOrganisations: z.optional(listText(400)),
  allowedLogins: z.optional(listText(1_000)),
  allowedEmailDomains: z.optional(listText(400)),
  /** Events wake the agents that subscribe to them; otherwise they are only recorded. */
  projectEventWakeEnabled: z._default(flag, false),
  /** Messages between agents go over event channels; only with `projectEventWakeEnabled`. */
  agentMessageChannelsEnabled: z._default(flag, false),
  /** Only of a laptop: push messages to this origin are sent without a check of its address. */
  localPushService: z.optional(
    z.string().check(z.regex(/^http:\/\/127\.0\.0\.1:\d+$/, 'must be an address of this machine')),
  ),
  /** Limits of event channels that differ from the standard. */
  channelLimits: z._default(jsonOr(ChannelLimits), {}),
  logLevel: z._default(z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']), 'INFO'),
  /** Alarms notify this SNS topic of the operator's, when given. */
  alarmTopicArn: z.optional(text),
  /** Keep table, buckets, keys and secret when a stack goes; the laptop and tests do not. */
  retainData: z._default(flag, true),
  /** Deploy without the functions whose bundle is not there. */
  allowMissing: z._default(flag, false),
  /**
   * Run cdk-nag in synth; the laptop's deployment skips it for speed, `npm run check` never does.
   */
  nag: z._default(flag, true),
};

const Settings = z.object(shape).check(
  z.refine(({ domainName, certificateArn }) => !domainName || certificateArn !== undefined, {
    message: 'domainName needs certificateArn, a certificate in us-east-1',
  }),
  z.refine(
    ({ hostedZoneId, hostedZoneName, domainName }) => !hostedZoneId || (hostedZoneName && domainName),
    {
      message: 'hostedZoneId needs hostedZoneName and domainName',
    },
  ),
  z.refine(({ nodesDomain, nodesZoneId }) => (nodesDomain === undefined) === (nodesZoneId === undefined), {
    message: 'nodesDomain and nodesZoneId go together',
  }),
  z.refine(({ acmeDirectory, nodesDomain }) => !acmeDirectory || acmeDirectory === 'off' || !nodesDomain, {
    message: 'acmeDirectory is for nodes without nodesDomain: certificates are issued for addresses only',
  }),
  // On AWS it would let each person send requests to the function's own machine.
  z.refine(
    ({ localPushService, publicUrl }) => !localPushService || publicUrl?.startsWith('http://localhost:'),
    { message: 'localPushService is only for a deployment whose publicUrl is http://localhost:<port>' },
  ),
);
const DeploymentShape = z.object({
  deploymentId: shape.deploymentId,
  nodeImageParameter: shape.nodeImageParameter,
  retainData: shape.retainData,
  signingKeyGenerations: shape.signingKeyGenerations,
  originSecretGenerations: shape.originSecretGenerations,
});
type WithImageParameter = { readonly nodeImageParameter: string };
export type Settings = z.infer<typeof Settings> &
  WithImageParameter & {
    /** The operator's own settings: the next deployment is compared with them. */
    readonly given: GivenSettings;
  };
/** The settings that scripts need beside the CDK app. */
export type DeploymentSettings = z.infer<typeof DeploymentShape> & WithImageParameter;

export const settingNames = Object.keys(shape);

/** Parameter Store name of what the last deployment was given. */
export const settingsParameter = (deploymentId: string): string => `/${deploymentId}/settings`;

/** @throws {WrongSettings} naming each wrong setting in a line of its own */
export function parseSettings(context: Context): Settings {
  const given = givenSettings(context, settingNames);
  return { ...withImageParameter(valid(Settings.safeParse(withoutEmpty(context)))), given };
}

/** @throws {WrongSettings} naming each wrong setting in a line of its own */
export function parseDeploymentSettings(context: Context): DeploymentSettings {
  return withImageParameter(valid(DeploymentShape.safeParse(withoutEmpty(context))));
}

function withImageParameter<
  Parsed extends { readonly deploymentId: string; readonly nodeImageParameter?: string | undefined },
>(parsed: Parsed): Parsed & WithImageParameter {
  const { deploymentId, nodeImageParameter = `/${deploymentId}/ami/arm64` } = parsed;
  return { ...parsed, nodeImageParameter };
}

function valid<Parsed>(result: z.core.util.SafeParseResult<Parsed>): Parsed {
  if (result.success) return result.data;
  const lines = result.error.issues.map(
    ({ path, message }) => `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
  throw new WrongSettings(`The settings of the deployment are wrong.\n${lines.join('\n')}`);
}

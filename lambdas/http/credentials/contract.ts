import * as z from 'zod/mini';
import { CredentialText } from '../../../protocol/agent-callbacks.js';
import { AgentType } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { UsageWindow } from '../../../protocol/usage-windows.js';
import { limitLevels } from '../../domain/credentials/limit-level.js';
import { VariableName } from '../../domain/profiles/profile-or-skill.js';
import {
  CredentialKind,
  credentialTypes,
  providers,
  providersOf,
} from '../../domain/records/credentials/credential.js';
import { contract } from '../../edge/contract.js';

const Provider = z.enum(providers);

/** Never with its token. */
const Credential = z.object({
  id: z.string(),
  provider: Provider,
  credentialType: z.enum(credentialTypes),
  credentialKind: CredentialKind,
  connected: z.literal(true),
  /** How the token ends. */
  maskedKey: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

const Stored = z.extend(Credential, {
  validation: z.object({
    valid: z.boolean(),
    message: z.string(),
    /** `format`: the provider was not asked, or did not answer. */
    validationMode: z.enum(['format', 'provider']),
    /** Of the provider's answer. */
    status: z.optional(z.int()),
  }),
});

const NewCredential = z
  .strictObject({
    provider: Provider,
    credentialType: z.enum(credentialTypes),
    /** `oauth-token`: the token or file that the sign-in of the agent wrote. */
    credentialKind: z._default(CredentialKind, 'api-key'),
    token: z.pipe(z.string().check(z.maxLength(70_000), z.trim()), CredentialText),
  })
  .check(
    z.refine(({ provider, credentialType }) => providersOf[credentialType].some((own) => own === provider), {
      message: 'This provider needs another credentialType',
      path: ['credentialType'],
    }),
    z.refine(
      ({ credentialType, credentialKind }) =>
        credentialType === 'agent-api-key' || credentialKind === 'api-key',
      {
        message: 'oauth-token is only for credentials of type agent-api-key',
        path: ['credentialKind'],
      },
    ),
    z.refine(({ credentialKind, token }) => credentialKind === 'oauth-token' || /^[!-~]+$/.test(token), {
      message: 'A key has no spaces and no other characters than those of ASCII',
      path: ['token'],
    }),
  );

const LimitWindow = z.object({
  windowType: z.string(),
  provider: z.string(),
  /** Where the agent read it. */
  source: z.string(),
  status: UsageWindow.shape.status,
  level: z.enum(limitLevels),
  utilizationPercent: z.nullable(z.number()),
  limitAmount: z.nullable(z.number()),
  remainingAmount: z.nullable(z.number()),
  windowMinutes: z.nullable(z.number()),
  resetsAt: z.nullable(z.iso.datetime()),
  observedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

const CredentialLimits = z.object({
  /** A long reference of a shared credential is returned as `sha256:` and its hash. */
  credentialReference: z.string(),
  credentialId: z.nullable(z.string()),
  credentialSource: z.enum(['user', 'project', 'platform']),
  provider: z.string(),
  providerMode: z.nullable(z.string()),
  /** Of the agent that reported last. */
  agentType: z.nullable(AgentType),
  /** That of the worst window. */
  level: z.enum(limitLevels),
  observedAt: z.iso.datetime(),
  /** The shortest first. */
  windows: z.array(LimitWindow),
});

export const Limits = z.object({ credentials: z.array(CredentialLimits), generatedAt: z.iso.datetime() });
const List = z.object({ credentials: z.array(Credential) });
const Deleted = z.object({ success: z.literal(true) });
const project = z.object({ projectId: Ulid });
const provider = z.object({ provider: Provider });
const example = { provider: 'anthropic', credentialType: 'agent-api-key', token: 'sk-ant-0123456789' };

export const store = contract({
  summary: 'Store your credential for a provider',
  description:
    'Replaces the credential that you stored before for the provider. The token is encrypted with its own key and never returned. Agents in your workspaces get the credential when they start; a credential of the project has precedence.',
  body: NewCredential,
  example,
  responses: { 201: Stored, 200: Stored },
  errors: ['RATE_LIMIT_EXCEEDED'],
});
export const list = contract({
  summary: 'List your credentials, without their tokens',
  description: '`maskedKey` shows the last four characters of a long token.',
  responses: { 200: List },
});
export const remove = contract({
  summary: 'Delete your credential for a provider',
  description: 'Agents that start later do not receive it. A running agent keeps it until the agent ends.',
  params: provider,
  responses: { 200: Deleted },
  errors: ['NOT_FOUND'],
});

export const storeForProject = contract({
  summary: 'Store a credential that all agents of the project use',
  description:
    "Every member who may start an agent can read the credential in their workspace. A sign-in (`oauth-token`) that an agent renews is stored only when the session's owner holds `secret:write`; otherwise the renewal is lost. Store a key for a project.",
  params: project,
  body: NewCredential,
  example,
  responses: { 201: Stored, 200: Stored },
  errors: ['RATE_LIMIT_EXCEEDED'],
});
export const listOfProject = contract({
  summary: 'List the credentials of the project, without their tokens',
  description:
    'Every member who can write in the project can start an agent that receives these credentials.',
  params: project,
  responses: { 200: List },
});
export const removeOfProject = contract({
  summary: 'Delete a credential of the project',
  description: 'Agents that start later do not receive it. A running agent keeps it until the agent ends.',
  params: z.extend(project, { provider: Provider }),
  responses: { 200: Deleted },
  errors: ['NOT_FOUND'],
});

export const storeForPlatform = contract({
  summary: 'Store a credential of the deployment',
  description:
    'Reserved for the AI proxy, which does not exist yet. No workspace and no agent gets the credential.',
  body: NewCredential,
  example,
  responses: { 201: Stored, 200: Stored },
  errors: ['RATE_LIMIT_EXCEEDED'],
});
export const listOfPlatform = contract({
  summary: 'List the credentials of the deployment, without their tokens',
  description:
    'Only superadmins can call it. These credentials are stored for the AI proxy and not used before the proxy exists.',
  responses: { 200: List },
});
export const removeOfPlatform = contract({
  summary: 'Delete a credential of the deployment',
  description: 'Only superadmins can call it.',
  params: provider,
  responses: { 200: Deleted },
  errors: ['NOT_FOUND'],
});

const Personal = z.object({
  allowed: z.boolean(),
  /** `only-member`: nobody but you has ever been a member, so no consent is needed. */
  reason: z.nullable(z.enum(['consent', 'only-member'])),
  /** When you allowed it. */
  allowedAt: z.nullable(z.iso.datetime()),
  /** Variables of profiles and skills that you confirmed. */
  confirmedVariables: z.array(z.string()),
});

export const personal = contract({
  summary: 'Get whether your own credentials are used in the project',
  description: '`reason` states why: your consent, or that nobody but you has ever been a member.',
  params: project,
  responses: { 200: Personal },
});
export const allowPersonal = contract({
  summary: 'Allow your own credentials in the project',
  description:
    "Agents in your workspaces of the project then get your own credential where the project has none. Allow it only if you trust everybody who can push to the repository or change the project's settings: their text and code runs beside your agent and can read the credential. The consent ends with your membership. Repeating the call keeps the first `allowedAt`. As long as nobody but you has ever been a member of the project, no consent is needed.",
  params: project,
  responses: { 200: Personal },
  errors: ['VERSION_CONFLICT'],
});
/** Two sets of a profile and a skill, for each of the agent types. */
const maxConfirmed = 200;

export const confirmVariables = contract({
  summary: 'Confirm variables of profiles and skills for agents with your own credentials',
  description: `An agent that gets your own credential has a variable that other members set in a profile or a skill only when its name begins with \`APP_\`, or when you confirmed the name here: some programs run commands, load code or connect to an address that a variable names. The call replaces all names, at most ${maxConfirmed}; a name that is added to a profile later is not confirmed. It applies to agents that are submitted after it. Reserved names are refused. The names end with your consent.`,
  params: project,
  body: z.strictObject({ names: z.array(VariableName).check(z.maxLength(maxConfirmed)) }),
  example: { names: ['DATABASE_URL'] },
  responses: { 200: Personal },
  errors: ['VARIABLE_NOT_ALLOWED', 'CONSENT_MISSING'],
});
export const refusePersonal = contract({
  summary: 'Stop allowing your own credentials in the project',
  description:
    'Agents that start later do not get your credentials. A running agent keeps its credential until it ends: stop the agent, and replace the credential if you no longer trust the project. Repeating the call changes nothing.',
  params: project,
  responses: { 200: Personal },
});

export const usageOfSession = contract({
  summary: 'Get the credential source and rate limits of the agent of a chat session',
  description:
    'Describes the present or last agent session of the chat; fields are null before it got a credential. Only the person who owns a personal credential sees its limits.',
  params: z.extend(project, { sessionId: Ulid }),
  responses: {
    200: z.object({
      agentSessionId: z.nullable(z.string()),
      provider: z.nullable(Provider),
      credentialSource: z.nullable(z.enum(['user', 'project', 'platform'])),
      /** When an agent was last started with it. */
      usedAt: z.nullable(z.iso.datetime()),
      /** The newest figures of each window. */
      windows: z.array(UsageWindow),
    }),
  },
});

export const limits = contract({
  summary: 'Get the rate limits of your own credentials',
  description:
    'The newest figures that the agents of all your projects reported for each credential and window. `level` is `warning` from 75 %, `critical` from 90 %, `rejected` when the provider refuses. At most 200 windows.',
  responses: { 200: Limits },
});

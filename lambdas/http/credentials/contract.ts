import * as z from 'zod/mini';
import { CredentialText, UsageWindow } from '../../../protocol/agent-callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import { CredentialKind } from '../../domain/credentials/credential.js';
import { credentialTypes, providers, providersOf } from '../../domain/credentials/providers.js';
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
  validation: z.object({ valid: z.boolean(), message: z.string(), validationMode: z.literal('format') }),
});

const NewCredential = z
  .strictObject({
    provider: Provider,
    credentialType: z.enum(credentialTypes),
    /** `oauth-token`: what the agent's own sign-in left, a token or a whole file. */
    credentialKind: z._default(CredentialKind, 'api-key'),
    token: z.pipe(z.string().check(z.trim()), CredentialText),
  })
  .check(
    z.refine(({ provider, credentialType }) => providersOf[credentialType].some((own) => own === provider), {
      message: 'This provider has credentials of another type',
      path: ['credentialType'],
    }),
    z.refine(
      ({ credentialType, credentialKind }) =>
        credentialType === 'agent-api-key' || credentialKind === 'api-key',
      {
        message: 'Only agents have sign-ins',
        path: ['credentialKind'],
      },
    ),
    z.refine(({ credentialKind, token }) => credentialKind === 'oauth-token' || !/\s/.test(token), {
      message: 'A key holds no spaces',
      path: ['token'],
    }),
  );

const List = z.object({ credentials: z.array(Credential) });
const Deleted = z.object({ success: z.literal(true) });
const project = z.object({ projectId: Ulid });
const provider = z.object({ provider: Provider });
const example = { provider: 'anthropic', credentialType: 'agent-api-key', token: 'sk-ant-…' };

export const store = contract({
  summary: 'Store your credential for a provider, in the place of an older one',
  description:
    'It is encrypted with a key of its own and never shown again. Agents in your workspaces are given it when they start; a credential of the project comes first.',
  body: NewCredential,
  example,
  responses: { 201: Stored, 200: Stored },
  errors: ['RATE_LIMIT_EXCEEDED'],
});
export const list = contract({ summary: 'Your credentials, without their tokens', responses: { 200: List } });
export const remove = contract({
  summary: 'Delete your credential for a provider',
  params: provider,
  responses: { 200: Deleted },
  errors: ['NOT_FOUND'],
});

export const storeForProject = contract({
  summary: 'Store a credential that all agents of the project use',
  description:
    "Every member who may start an agent can read it in their workspace. A sign-in (`oauth-token`) that an agent renews is stored again only when the session's owner holds `secret:write`; for others the renewal is lost, so a project should store a key.",
  params: project,
  body: NewCredential,
  example,
  responses: { 201: Stored, 200: Stored },
  errors: ['RATE_LIMIT_EXCEEDED'],
});
export const listOfProject = contract({
  summary: 'Credentials of the project, without their tokens',
  params: project,
  responses: { 200: List },
});
export const removeOfProject = contract({
  summary: 'Delete a credential of the project',
  params: z.extend(project, { provider: Provider }),
  responses: { 200: Deleted },
  errors: ['NOT_FOUND'],
});

export const storeForPlatform = contract({
  summary: 'Store a credential of the deployment',
  description:
    'It is kept for the AI proxy and is not used before the proxy exists: no workspace and no agent is ever given it.',
  body: NewCredential,
  example,
  responses: { 201: Stored, 200: Stored },
  errors: ['RATE_LIMIT_EXCEEDED'],
});
export const listOfPlatform = contract({
  summary: 'Credentials of the deployment, without their tokens',
  responses: { 200: List },
});
export const removeOfPlatform = contract({
  summary: 'Delete a credential of the deployment',
  params: provider,
  responses: { 200: Deleted },
  errors: ['NOT_FOUND'],
});

const Personal = z.object({
  allowed: z.boolean(),
  /** `only-member`: the project has no other member, so no consent is asked for. */
  reason: z.nullable(z.enum(['consent', 'only-member'])),
  /** When you allowed it. */
  allowedAt: z.nullable(z.iso.datetime()),
});

export const personal = contract({
  summary: 'Read whether your own credentials are used in the project',
  params: project,
  responses: { 200: Personal },
});
export const allowPersonal = contract({
  summary: 'Allow your own credentials in the project',
  description:
    "Agents in your workspaces of the project are then given your own credential where the project has none. Allow it only if you trust everybody who can push to the repository or change the project's settings: their text and code runs beside your agent and can read the credential. It ends with your membership. A repeat keeps the first time. While you are the project's only member no consent is needed.",
  params: project,
  responses: { 200: Personal },
  errors: ['VERSION_CONFLICT'],
});
export const refusePersonal = contract({
  summary: 'Stop allowing your own credentials in the project',
  description:
    'Agents that start from now on are not given them. An agent that runs keeps what it was given until it ends: stop it, and replace the credential if you no longer trust the project. A repeat changes nothing.',
  params: project,
  responses: { 200: Personal },
});

export const usageOfSession = contract({
  summary: 'With which credential the agent of a chat session works, and what it has seen of its limits',
  description:
    "Of the agent session that the chat has at present, or had last; nulls before one was given a credential. The limits of a credential that is a person's own are shown to that person only.",
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

import * as z from 'zod/mini';
import type { AgentType } from '../../../../protocol/agent-sessions.js';
import { Ulid } from '../../../../protocol/ids.js';
import { SealedSecret, type SecretContext } from '../../secrets/sealed-secret.js';

export const credentialTypes = ['agent-api-key', 'cloud-provider'] as const;
export type CredentialType = (typeof credentialTypes)[number];

/** Whose key each kind of agent needs. */
export const providerOfAgent = {
  'claude-code': 'anthropic',
  'openai-codex': 'openai',
  'google-gemini': 'google',
  'mistral-vibe': 'mistral',
  opencode: 'opencode',
  amp: 'amp',
} as const satisfies Record<AgentType, string>;
const cloudProviders = [
  'aws',
  'hetzner',
  'scaleway',
  'gcp',
  'vultr',
  'digitalocean',
  'infomaniak',
  'upcloud',
] as const;

/** Every provider belongs to one type, so that its name identifies the credential. */
export const providersOf = {
  'agent-api-key': Object.values(providerOfAgent),
  'cloud-provider': cloudProviders,
} as const satisfies Record<CredentialType, readonly string[]>;

export const providers = [...providersOf['agent-api-key'], ...cloudProviders] as const;
export type Provider = (typeof providers)[number];

/** Who may use it: one person, the members of a project, or everybody of the deployment. */
export const CredentialOwner = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), id: Ulid }),
  z.object({ kind: z.literal('project'), id: Ulid }),
  z.object({ kind: z.literal('platform') }),
]);
export type CredentialOwner = z.infer<typeof CredentialOwner>;

/** A key as such, or the token or file that an agent's own sign-in left. */
export const CredentialKind = z.enum(['api-key', 'oauth-token']);
export type CredentialKind = z.infer<typeof CredentialKind>;

export const Credential = z.object({
  credentialId: z.string(),
  owner: CredentialOwner,
  provider: z.enum(providers),
  credentialType: z.enum(credentialTypes),
  credentialKind: CredentialKind,
  token: SealedSecret,
  /** How the token ends, so that its owner recognises it. */
  maskedKey: z.string(),
  /** Grows with every change of the token. */
  generation: z.int(),
  /** Who stored it last. */
  storedBy: Ulid,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type Credential = z.infer<typeof Credential>;

export const credentialPrefix = 'CREDENTIAL#';

const partitionOf = (owner: CredentialOwner): string =>
  owner.kind === 'platform' ? 'PLATFORM' : `${owner.kind === 'user' ? 'USER' : 'PROJECT'}#${owner.id}`;

export const credentialsOf = (owner: CredentialOwner) => partitionOf(owner);

export const credentialKey = (owner: CredentialOwner, provider: string) => ({
  pk: partitionOf(owner),
  sk: `${credentialPrefix}${provider}`,
});

const referencePrefix = 'cc_credentials:';

/** How other records and usage reports name it. */
export const credentialReference = ({ credentialId }: Pick<Credential, 'credentialId'>): string =>
  `${referencePrefix}${credentialId}`;

/** The id in such a reference; null in any other. */
export const credentialIdOf = (reference: string): string | null =>
  reference.startsWith(referencePrefix) ? reference.slice(referencePrefix.length) : null;

export const credentialContext = (owner: CredentialOwner, provider: string): SecretContext => ({
  owner: partitionOf(owner),
  record: `credential#${provider}`,
});

/** The end of a short token would reveal it. */
export function maskKey(token: string): string {
  const text = token.trim();
  return text.length >= 16 && !text.includes('\n') ? `…${text.slice(-4)}` : '…';
}

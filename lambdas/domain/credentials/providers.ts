import type { AgentType } from '../../../protocol/agent-sessions.js';

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

/** Every provider belongs to one type, so that its name alone tells which credential is meant. */
export const providersOf = {
  'agent-api-key': Object.values(providerOfAgent),
  'cloud-provider': cloudProviders,
} as const satisfies Record<CredentialType, readonly string[]>;

export const providers = [...providersOf['agent-api-key'], ...cloudProviders] as const;
export type Provider = (typeof providers)[number];

import type { AgentKey } from '../../../../protocol/agent-callbacks.js';
import { HarnessError } from '../harness.js';
import type { HarnessKind } from '../kinds/harness-kind.js';

export interface CredentialPlace {
  readonly environment: Readonly<Record<string, string>>;
  /** Credential file in the home folder. */
  readonly file: { readonly path: string; readonly content: string } | null;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
}

/**
 * Environment or file for the credential of a harness. With a proxy of the control plane, the proxy
 * gets the key of the person or the token of the workspace.
 * @throws HarnessError when the kind has no use for what is stored
 */
export function placeCredential(kind: HarnessKind, key: AgentKey, callbackToken: string): CredentialPlace {
  if (key.inferenceConfig) return placeProxied(kind, key, callbackToken);
  if (key.credentialKind === 'api-key') return inVariable(kind.apiKeyVariable, key.apiKey);
  if (!kind.oauth)
    throw new HarnessError('not_startable', `${kind.name} takes an API key, and a token is stored for it`);
  if ('variable' in kind.oauth) return inVariable(kind.oauth.variable, key.apiKey);
  return {
    environment: {},
    file: { path: kind.oauth.file, content: key.apiKey },
    secrets: [key.apiKey, ...textsOf(key.apiKey)],
  };
}

function placeProxied(kind: HarnessKind, key: AgentKey, callbackToken: string): CredentialPlace {
  const { provider = 'anthropic-proxy', baseURL = '', apiKeySource } = key.inferenceConfig ?? {};
  const variables = kind.proxies[provider];
  if (!variables)
    throw new HarnessError('not_startable', `${kind.name} cannot be used by way of ${provider}`);
  const secret = apiKeySource === 'callback-token' ? callbackToken : key.apiKey;
  return {
    environment: {
      [variables.address]: baseURL.replaceAll('{wstoken}', callbackToken),
      [variables.key]: secret,
    },
    file: null,
    secrets: [secret, callbackToken],
  };
}

function inVariable(name: string, value: string): CredentialPlace {
  return { environment: { [name]: value }, file: null, secrets: [value] };
}

/** The tokens in a credential file. */
function textsOf(content: string): string[] {
  return [...content.matchAll(/"((?:[^"\\]|\\.){16,})"/g)].map(([, text = '']) => text);
}

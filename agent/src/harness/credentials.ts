import type { AgentKey } from '../../../protocol/agent-callbacks.js';
import { isUnavailable } from '../control-plane/callback-errors.js';
import type { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import { HarnessError, type HarnessSettings } from './harness.js';
import type { HarnessCallbacks, KeyAnswer, SessionOwner } from './harness-callbacks.js';
import type { HarnessKind } from './harness-kind.js';
import type { HomeFiles } from './home-files.js';

export interface Credential extends CredentialPlace {
  readonly key: AgentKey | null;
}

const none: Credential = { key: null, environment: {}, file: null, secrets: [] };

/** Provides credentials to harnesses, and stores credential files that harnesses change. */
export class Credentials {
  constructor(
    private readonly options: { readonly syncTimeoutMs: number },
    private readonly deps: {
      readonly callbacks: HarnessCallbacks;
      readonly files: HomeFiles;
      readonly log: Log;
    },
  ) {}

  /** @throws HarnessError `unavailable` when the control plane does not answer */
  async fetch(owner: SessionOwner, kind: HarnessKind, signal: AbortSignal): Promise<KeyAnswer> {
    try {
      return await this.deps.callbacks.key(owner, kind.type, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const errorKind = isUnavailable(cause) ? 'unavailable' : 'not_startable';
      throw new HarnessError(errorKind, `Could not fetch the credential for ${kind.name}`, {
        cause,
      });
    }
  }

  /** @throws HarnessError when there is none and the harness cannot do without */
  async place(
    { workspace, kind, settings }: CredentialRequest,
    { key, refusal }: KeyAnswer,
  ): Promise<Credential> {
    if (key === null) {
      const isSignedIn = await this.deps.files.hasAny(workspace, kind.signInFiles);
      if (isSignedIn || kind.isFreeToStart(settings)) return none;
      throw new HarnessError('not_startable', refusal ?? `No credential for ${kind.name} is stored`);
    }
    const place = placeCredential(kind, key, workspace.callbackToken);
    if (place.file) await this.deps.files.write(workspace, place.file.path, place.file.content);
    return { ...place, key };
  }

  /** Stores the credential file when the harness changed it. Never throws. */
  async syncBack(
    { workspace, sessionId }: SessionOwner,
    kind: HarnessKind,
    { key, file }: Credential,
  ): Promise<void> {
    if (!key || !file) return;
    const signal = AbortSignal.timeout(this.options.syncTimeoutMs);
    try {
      const credential = await this.deps.files.read(workspace, file.path);
      if (!credential || credential === file.content) return;
      const body = { agentType: kind.type, sessionId, credentialKind: key.credentialKind, credential };
      await this.deps.callbacks.syncCredential(workspace, body, signal);
    } catch (error) {
      const { workspaceId } = workspace;
      this.deps.log.warn('Could not store a changed credential', {
        workspaceId,
        agentType: kind.type,
        error,
      });
    }
  }
}

interface CredentialRequest {
  readonly workspace: Workspace;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
}

interface CredentialPlace {
  readonly environment: Readonly<Record<string, string>>;
  /** Credential file in the home folder. */
  readonly file: { readonly path: string; readonly content: string } | null;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
}

/**
 * Environment or file for the credential of a harness. With a proxy of the control plane, the proxy
 * gets the key of the person or the callback token.
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

import type { AgentKey } from '../../../../protocol/agent-callbacks.js';
import type { Log } from '../../shared/log.js';
import type { Workspace } from '../../workspaces/workspace.js';
import { HarnessError, type HarnessSettings } from '../harness.js';
import type { HarnessKind } from '../kinds/harness-kind.js';
import { type CredentialPlace, placeCredential } from './credential-environment.js';
import type { HarnessCallbacks, KeyAnswer } from './harness-callbacks.js';
import type { HomeFiles } from './home-files.js';

export interface Credential extends CredentialPlace {
  readonly key: AgentKey | null;
}

const none: Credential = { key: null, environment: {}, file: null, secrets: [] };

/** Provides credentials to harnesses, and stores credential files that harnesses change. */
export class Credentials {
  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    private readonly callbacks: HarnessCallbacks,
    private readonly files: HomeFiles,
    private readonly options: { readonly syncTimeoutMs: number },
    private readonly log: Log,
  ) {}

  /** @throws HarnessError when the control plane does not answer */
  async fetch(
    { workspace, sessionId }: CredentialOwner,
    kind: HarnessKind,
    signal: AbortSignal,
  ): Promise<KeyAnswer> {
    try {
      return await this.callbacks.key(workspace, { agentType: kind.type, sessionId }, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new HarnessError('transient', `Could not fetch the credential for ${kind.name}`, {
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
      const isSignedIn = await this.files.hasAny(workspace, kind.signInFiles);
      if (isSignedIn || kind.isFreeToStart(settings)) return none;
      throw new HarnessError('not_startable', refusal ?? `No credential for ${kind.name} is stored`);
    }
    const place = placeCredential(kind, key, workspace.callbackToken);
    if (place.file) await this.files.write(workspace, place.file.path, place.file.content);
    return { ...place, key };
  }

  /** Stores the credential file when the harness changed it. Never throws. */
  async syncBack(
    { workspace, sessionId }: CredentialOwner,
    kind: HarnessKind,
    { key, file }: Credential,
  ): Promise<void> {
    if (!key || !file) return;
    const signal = AbortSignal.timeout(this.options.syncTimeoutMs);
    try {
      const credential = await this.files.read(workspace, file.path);
      if (!credential || credential === file.content) return;
      const body = { agentType: kind.type, sessionId, credentialKind: key.credentialKind, credential };
      await this.callbacks.syncCredential(workspace, body, signal);
    } catch (error) {
      const { workspaceId } = workspace;
      this.log.warn('Could not store a changed credential', { workspaceId, agentType: kind.type, error });
    }
  }
}

/** The session that the credential is for. */
interface CredentialOwner {
  readonly workspace: Workspace;
  readonly sessionId: string;
}

interface CredentialRequest {
  readonly workspace: Workspace;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
}

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

/** Brings harnesses their credentials, and brings back what they made of them. */
export class Credentials {
  constructor(
    private readonly callbacks: HarnessCallbacks,
    private readonly files: HomeFiles,
    private readonly options: { readonly syncTimeoutMs: number },
    private readonly log: Log,
  ) {}

  /** @throws HarnessError when the control plane does not answer */
  async fetch({ workspace, sessionId }: For, kind: HarnessKind, signal: AbortSignal): Promise<KeyAnswer> {
    try {
      return await this.callbacks.key(workspace, { agentType: kind.type, sessionId }, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw new HarnessError('transient', `The credential for ${kind.name} could not be asked for`, {
        cause,
      });
    }
  }

  /** @throws HarnessError when there is none and the harness cannot do without */
  async place({ workspace, kind, settings }: Wanting, { key, refusal }: KeyAnswer): Promise<Credential> {
    if (key === null) {
      const isSignedIn = await this.files.hasAny(workspace, kind.signInFiles);
      if (isSignedIn || kind.isFreeToStart(settings)) return none;
      throw new HarnessError('not_startable', refusal ?? `No credential for ${kind.name} is stored`);
    }
    const place = placeCredential(kind, key, workspace.callbackToken);
    if (place.file) await this.files.write(workspace, place.file.path, place.file.content);
    return { ...place, key };
  }

  /** Stores the credential file anew if the harness has changed it. Never fails: the session has ended anyway. */
  async bringBack(
    { workspace, sessionId }: For,
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
      this.log.warn('A changed credential was not stored', { workspaceId, agentType: kind.type, error });
    }
  }
}

/** The session that the credential is for. */
interface For {
  readonly workspace: Workspace;
  readonly sessionId: string;
}

interface Wanting {
  readonly workspace: Workspace;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
}

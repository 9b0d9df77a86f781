import * as z from 'zod/mini';
import {
  AgentCredentialSync,
  AgentKey,
  type AgentKeyRequest,
  AgentSettings,
  type AgentUsageReport,
  RuntimeAssets,
} from '../../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../../protocol/agent-sessions.js';
import { whyReserved } from '../../../../protocol/reserved-variables.js';
import { CallbackRefused, isUnavailable } from '../../control-plane/callback-errors.js';
import type { ControlPlane } from '../../control-plane/control-plane.js';
import type { Log } from '../../shared/log.js';
import { retry } from '../../shared/retry.js';
import type { Workspace } from '../../workspaces/workspace.js';

interface HarnessCallbackParts {
  readonly controlPlane: ControlPlane;
  /** With the token that it has now: tokens are renewed while harnesses run. */
  readonly current: (workspace: Workspace) => Workspace;
  readonly log: Log;
  readonly timeoutMs: number;
}

const noSettings: AgentSettings = {};
/** Two sets of 32 variables of 4 KiB, and what JSON adds to them. */
const maxAssetBytes = 512 * 1024;

const pathOf = ({ workspaceId }: Workspace, name: string): string => `/api/workspaces/${workspaceId}/${name}`;

/** What a workspace asks and tells the control plane on behalf of its harnesses. */
export class HarnessCallbacks {
  constructor(private readonly parts: HarnessCallbackParts) {}

  /** No key when none is stored, or when the workspace may not have it: then with the reason. */
  async key(workspace: Workspace, body: AgentKeyRequest, signal: AbortSignal): Promise<KeyAnswer> {
    try {
      const key = await this.ask(workspace, { name: 'agent-key', body, answer: AgentKey, signal });
      return { key, refusal: null };
    } catch (error) {
      if (!(error instanceof CallbackRefused)) throw error;
      if (error.status === 404) return { key: null, refusal: null };
      if (error.status === 403) return { key: null, refusal: error.reason || null };
      throw error;
    }
  }

  /** None, when they cannot be had: a session starts with the harness's own. */
  async settings(workspace: Workspace, agentType: AgentType, signal: AbortSignal): Promise<AgentSettings> {
    try {
      const body = { agentType };
      return await this.ask(workspace, { name: 'agent-settings', body, answer: AgentSettings, signal });
    } catch (error) {
      signal.throwIfAborted();
      this.parts.log.warn('Settings of an agent could not be read', {
        workspaceId: workspace.workspaceId,
        agentType,
        error,
      });
      return noSettings;
    }
  }

  /**
   * The variables of a session, without which it must not begin, and those that it may not have.
   *
   * @throws CallbackUnavailable | CallbackRefused
   */
  async variables(workspace: Workspace, sessionId: string, signal: AbortSignal): Promise<SessionVariables> {
    const { controlPlane, timeoutMs } = this.parts;
    const query = new URLSearchParams({ agentSessionId: sessionId });
    const path = `${pathOf(workspace, 'runtime-assets')}?${query}`;
    const get = () =>
      controlPlane.get({
        path,
        token: this.parts.current(workspace).callbackToken,
        answer: RuntimeAssets,
        maxAnswerBytes: maxAssetBytes,
        timeoutMs,
        signal,
      });
    return sessionVariables(await this.persist(get, { signal }));
  }

  /** Stores the credential file that a harness has changed. */
  async syncCredential(workspace: Workspace, body: AgentCredentialSync, signal: AbortSignal): Promise<void> {
    const checked = AgentCredentialSync.parse(body);
    await this.ask(workspace, {
      name: 'agent-credential-sync',
      body: checked,
      answer: z.unknown(),
      signal,
      attempts: 5,
    });
  }

  /** Once: the next turn brings newer figures. */
  async usage(workspace: Workspace, where: UsageAddress, body: AgentUsageReport): Promise<void> {
    await this.parts.controlPlane.post({
      path: `/api/projects/${where.projectId}/acp-sessions/${where.sessionId}/usage`,
      token: this.parts.current(workspace).callbackToken,
      body,
      answer: z.unknown(),
      timeoutMs: this.parts.timeoutMs,
    });
  }

  private ask<Schema extends z.ZodMiniType>(
    workspace: Workspace,
    question: Question<Schema>,
  ): Promise<z.infer<Schema>> {
    const { name, body, answer, signal } = question;
    const { controlPlane, current, timeoutMs } = this.parts;
    const post = () =>
      controlPlane.post({
        path: pathOf(workspace, name),
        token: current(workspace).callbackToken,
        body,
        answer,
        timeoutMs,
        signal,
      });
    return this.persist(post, question);
  }

  private persist<Answer>(
    call: () => Promise<Answer>,
    { signal, attempts = 3 }: Pick<Question<unknown>, 'signal' | 'attempts'>,
  ): Promise<Answer> {
    return retry(call, {
      attempts,
      firstDelayMs: 500,
      maxDelayMs: 4_000,
      isTransient: isUnavailable,
      signal,
    });
  }
}

export interface KeyAnswer {
  readonly key: AgentKey | null;
  /** Why there is none, where the control plane said it. */
  readonly refusal: string | null;
}

interface UsageAddress {
  readonly projectId: string;
  readonly sessionId: string;
}

interface Question<Schema> {
  readonly name: string;
  readonly body: unknown;
  readonly answer: Schema;
  readonly signal: AbortSignal;
  readonly attempts?: number;
}

interface SessionVariables {
  readonly variables: Readonly<Record<string, string>>;
  /** Each with the reason, for the boot log. */
  readonly refused: readonly string[];
}

/** A control plane from before the rule may still send what no shared layer may set. */
function sessionVariables({
  envVars,
  refused = [],
}: Omit<RuntimeAssets, 'workspaceId' | 'files'>): SessionVariables {
  const allowed = envVars.filter(({ key }) => !whyReserved(key));
  const here = envVars.flatMap(({ key }) => {
    const why = whyReserved(key);
    return why ? [{ key, reason: `It ${why}` }] : [];
  });
  return {
    variables: Object.fromEntries(allowed.map(({ key, value }) => [key, value])),
    refused: [...refused, ...here].map(({ key, reason }) => `${key}: ${reason}.`),
  };
}

import * as z from 'zod/mini';
import {
  AgentCredentialSync,
  AgentKey,
  type AgentKeyRequest,
  AgentSettings,
  type AgentUsageReport,
} from '../../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../../protocol/agent-sessions.js';
import { CallbackRefused, isUnavailable } from '../../control-plane/callback-errors.js';
import type { ControlPlane } from '../../control-plane/control-plane.js';
import type { Log } from '../../log/log.js';
import { retry } from '../../time/retry.js';
import type { Workspace } from '../../workspaces/workspace.js';

export interface HarnessCallbackParts {
  readonly controlPlane: ControlPlane;
  /** With the token that it has now: tokens are renewed while harnesses run. */
  readonly current: (workspace: Workspace) => Workspace;
  readonly log: Log;
  readonly timeoutMs: number;
}

const noSettings: AgentSettings = {};

/** What a workspace asks and tells the control plane on behalf of its harnesses. */
export class HarnessCallbacks {
  constructor(private readonly parts: HarnessCallbackParts) {}

  /** Null when the person has stored no credential for this kind. */
  async key(workspace: Workspace, body: AgentKeyRequest, signal: AbortSignal): Promise<AgentKey | null> {
    try {
      return await this.ask(workspace, { name: 'agent-key', body, answer: AgentKey, signal });
    } catch (error) {
      if (error instanceof CallbackRefused && error.status === 404) return null;
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
    const { name, body, answer, signal, attempts = 3 } = question;
    const { controlPlane, current, timeoutMs } = this.parts;
    const post = () =>
      controlPlane.post({
        path: `/api/workspaces/${workspace.workspaceId}/${name}`,
        token: current(workspace).callbackToken,
        body,
        answer,
        timeoutMs,
        signal,
      });
    return retry(post, {
      attempts,
      firstDelayMs: 500,
      maxDelayMs: 4_000,
      isTransient: isUnavailable,
      signal,
    });
  }
}

export interface UsageAddress {
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

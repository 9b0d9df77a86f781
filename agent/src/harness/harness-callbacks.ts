import * as z from 'zod/mini';
import {
  AgentCredentialSync,
  AgentKey,
  type AgentKeyRequest,
  AgentSettings,
  type AgentUsageReport,
  RuntimeAssets,
} from '../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { CallbackRefused, isUnavailable } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import {
  maxAssetBytes,
  type RuntimeVariables,
  runtimeVariables,
} from '../control-plane/runtime-variables.js';
import type { Log } from '../shared/log.js';
import { retry } from '../shared/retry.js';
import type { AnswerPlace, KeptAnswers } from '../store/kept-answers.js';
import type { Workspace } from '../workspaces/workspace.js';

interface HarnessCallbackDeps {
  readonly controlPlane: ControlPlane;
  readonly kept: KeptAnswers;
  /** The workspace with its current token: tokens are renewed while harnesses run. */
  readonly current: (workspace: Workspace) => Workspace;
  readonly log: Log;
  readonly timeoutMs: number;
}

const noSettings: AgentSettings = {};

const pathOf = ({ workspaceId }: Workspace, name: string): string => `/api/workspaces/${workspaceId}/${name}`;

/** Requests of harnesses to the control plane, with the token of the workspace. */
export class HarnessCallbacks {
  constructor(private readonly deps: HarnessCallbackDeps) {}

  /** Null when no key is stored (404) or the workspace may not use it (403, with the reason). */
  async key(owner: SessionOwner, agentType: AgentType, signal: AbortSignal): Promise<KeyAnswer> {
    const { workspace, sessionId } = owner;
    const body = { agentType, sessionId } satisfies AgentKeyRequest;
    const kept = { owner, name: keyName(agentType), answer: AgentKey };
    try {
      const key = await this.orKept(kept, (attempts) =>
        this.ask(workspace, { name: 'agent-key', body, answer: AgentKey, signal, attempts }),
      );
      return { key, refusal: null };
    } catch (error) {
      if (!(error instanceof CallbackRefused)) throw error;
      if (error.status === 404) return { key: null, refusal: null };
      if (error.status === 403) return { key: null, refusal: error.reason || null };
      throw error;
    }
  }

  /** Empty when the request fails: the session starts with the defaults of the harness. */
  async settings(owner: SessionOwner, agentType: AgentType, signal: AbortSignal): Promise<AgentSettings> {
    const { workspace, sessionId } = owner;
    const kept = { owner, name: `settings ${agentType}`, answer: AgentSettings };
    try {
      // The control plane knows only its own sessions, whose ids are ULIDs.
      const named = Ulid.safeParse(sessionId).success ? { agentSessionId: sessionId } : {};
      const body = { agentType, ...named };
      return await this.orKept(kept, (attempts) =>
        this.ask(workspace, { name: 'agent-settings', body, answer: AgentSettings, signal, attempts }),
      );
    } catch (error) {
      signal.throwIfAborted();
      this.deps.log.warn('Could not read agent settings', {
        workspaceId: workspace.workspaceId,
        agentType,
        error,
      });
      return noSettings;
    }
  }

  /**
   * The variables of a session, and the refused ones. A session must not start without them.
   *
   * @throws CallbackUnavailable | CallbackRefused
   */
  async variables(owner: SessionOwner, signal: AbortSignal): Promise<RuntimeVariables> {
    const { workspace, sessionId } = owner;
    const { controlPlane, timeoutMs } = this.deps;
    const query = new URLSearchParams({ agentSessionId: sessionId });
    const path = `${pathOf(workspace, 'runtime-assets')}?${query}`;
    const get = () =>
      controlPlane.get({
        path,
        token: this.deps.current(workspace).callbackToken,
        answer: RuntimeAssets,
        maxAnswerBytes: maxAssetBytes,
        timeoutMs,
        signal,
      });
    const kept = { owner, name: 'variables', answer: RuntimeAssets };
    return runtimeVariables(
      await this.orKept(kept, (attempts) => this.withRetries(get, { signal, attempts })),
    );
  }

  /** Stores a credential file that a harness changed. */
  async syncCredential(workspace: Workspace, body: AgentCredentialSync, signal: AbortSignal): Promise<void> {
    const checked = AgentCredentialSync.parse(body);
    this.keepChanged(workspace, checked);
    await this.ask(workspace, {
      name: 'agent-credential-sync',
      body: checked,
      answer: z.unknown(),
      signal,
      attempts: 5,
    });
  }

  /** Not retried: the next turn reports newer figures. */
  async usage(workspace: Workspace, where: UsageAddress, body: AgentUsageReport): Promise<void> {
    await this.deps.controlPlane.post({
      path: `/api/projects/${where.projectId}/acp-sessions/${where.sessionId}/usage`,
      token: this.deps.current(workspace).callbackToken,
      body,
      answer: z.unknown(),
      timeoutMs: this.deps.timeoutMs,
    });
  }

  /** The earlier content of the file is no longer valid. */
  private keepChanged(workspace: Workspace, { sessionId, agentType, credential }: AgentCredentialSync): void {
    const place = placeOf({ workspace, sessionId }, keyName(agentType));
    const key = AgentKey.safeParse(this.deps.kept.find(place));
    if (key.success) this.deps.kept.keep(place, { ...key.data, apiKey: credential });
  }

  /**
   * Keeps the answer, sealed. Returns the kept one while the control plane does not answer, and
   * removes it when the control plane refuses.
   */
  private async orKept<Schema extends z.ZodMiniType>(
    { owner, name, answer }: KeptRequest<Schema>,
    ask: (attempts: number) => Promise<z.infer<Schema>>,
  ): Promise<z.infer<Schema>> {
    const { kept, log } = this.deps;
    const place = placeOf(owner, name);
    const earlier = answer.safeParse(kept.find(place));
    try {
      const current = await ask(earlier.success ? 1 : 3);
      kept.keep(place, current);
      return current;
    } catch (error) {
      if (error instanceof CallbackRefused) kept.remove(place);
      if (!isUnavailable(error) || !earlier.success) throw error;
      log.warn('The control plane does not answer. The session starts with the last answer', {
        ...place,
        error,
      });
      return earlier.data;
    }
  }

  private ask<Schema extends z.ZodMiniType>(
    workspace: Workspace,
    request: CallbackRequest<Schema>,
  ): Promise<z.infer<Schema>> {
    const { name, body, answer, signal } = request;
    const { controlPlane, current, timeoutMs } = this.deps;
    const post = () =>
      controlPlane.post({
        path: pathOf(workspace, name),
        token: current(workspace).callbackToken,
        body,
        answer,
        timeoutMs,
        signal,
      });
    return this.withRetries(post, request);
  }

  private withRetries<Answer>(
    call: () => Promise<Answer>,
    { signal, attempts = 3 }: Pick<CallbackRequest<unknown>, 'signal' | 'attempts'>,
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
  /** The reason of the control plane for a missing key. */
  readonly refusal: string | null;
}

/** The session that an answer is for. */
export interface SessionOwner {
  readonly workspace: Workspace;
  readonly sessionId: string;
}

interface KeptRequest<Schema> {
  readonly owner: SessionOwner;
  readonly name: string;
  readonly answer: Schema;
}

const keyName = (agentType: AgentType): string => `key ${agentType}`;

function placeOf({ workspace, sessionId }: SessionOwner, name: string): AnswerPlace {
  const { workspaceId, generation } = workspace;
  return { workspaceId, generation, sessionId, name };
}

interface UsageAddress {
  readonly projectId: string;
  readonly sessionId: string;
}

interface CallbackRequest<Schema> {
  readonly name: string;
  readonly body: unknown;
  readonly answer: Schema;
  readonly signal: AbortSignal;
  readonly attempts?: number;
}

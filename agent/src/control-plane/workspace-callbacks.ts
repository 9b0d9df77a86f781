import * as z from 'zod/mini';
import {
  type BootLogCallback,
  CallbackResult,
  type GitTokenRequest,
  GitTokenResult,
  RenewCallbackTokenResult,
} from '../../../protocol/callbacks.js';
import { TaskAfterReport, type TaskStatusReport } from '../../../protocol/task-callbacks.js';
import { retry } from '../shared/retry.js';
import type { Workspace } from '../workspaces/workspace.js';
import { isUnavailable, retryAfterMsOf } from './callback-errors.js';
import type { ControlPlane } from './control-plane.js';

interface CallbackTimeouts {
  readonly callbackTimeoutMs: number;
  readonly bootLogTimeoutMs: number;
  readonly renewalTimeoutMs: number;
}

interface Callback {
  readonly name: string;
  readonly body: unknown;
}

/** A task has its description, summary and evidence. */
const maxTaskBytes = 512 * 1_024;
/** The turn that reports it has not ended. */
const taskStatusMs = 30_000;

/** Callbacks of workspaces, each with the workspace's own token. */
export class WorkspaceCallbacks {
  constructor(
    private readonly controlPlane: ControlPlane,
    private readonly timeouts: CallbackTimeouts,
  ) {}

  async ready(workspace: Workspace, signal: AbortSignal): Promise<void> {
    const status = workspace.status === 'recovering' ? 'recovering' : 'running';
    const body = { generation: workspace.generation, status };
    await this.report(workspace, { name: 'ready', body }, signal);
  }

  async provisioningFailed(workspace: Workspace, signal: AbortSignal): Promise<void> {
    const errorMessage = workspace.errorMessage?.slice(0, 2_048) || 'The workspace could not be made';
    const body = { generation: workspace.generation, errorMessage };
    await this.report(workspace, { name: 'provisioning-failed', body }, signal);
  }

  /** Not retried: the next report replaces it. */
  async progress(workspace: Workspace, signal: AbortSignal): Promise<void> {
    const body = { generation: workspace.generation };
    await this.post(workspace, { name: 'progress', body, answer: CallbackResult }, signal);
  }

  /** The id of the entry makes retries safe. */
  async bootLog(workspace: Workspace, body: BootLogCallback, signal: AbortSignal): Promise<void> {
    await retry(() => this.post(workspace, { name: 'boot-log', body, answer: z.unknown() }, signal), {
      attempts: 2,
      firstDelayMs: 500,
      maxDelayMs: 500,
      isTransient: isUnavailable,
      signal,
    });
  }

  /** @throws CallbackRefused when the owner of the workspace has lost access to the repository */
  async gitToken(
    workspace: Workspace,
    { renew }: GitTokenRequest,
    signal: AbortSignal,
  ): Promise<GitTokenResult> {
    const body: GitTokenRequest = renew ? { renew } : {};
    return retry(() => this.post(workspace, { name: 'git-token', body, answer: GitTokenResult }, signal), {
      attempts: 3,
      firstDelayMs: 500,
      maxDelayMs: 4_000,
      isTransient: isUnavailable,
      // The control plane allows one request a minute; a refused one is retried after that.
      atLeastMs: retryAfterMsOf,
      signal,
    });
  }

  /** @throws CallbackRefused when the execution of the task has ended */
  async taskStatus(
    workspace: Workspace,
    { projectId, taskId }: { readonly projectId: string; readonly taskId: string },
    body: TaskStatusReport,
  ): Promise<TaskAfterReport> {
    const send = () =>
      this.controlPlane.post({
        path: `/api/projects/${projectId}/tasks/${taskId}/status/callback`,
        token: workspace.callbackToken,
        body,
        answer: TaskAfterReport,
        maxAnswerBytes: maxTaskBytes,
        timeoutMs: this.timeouts.callbackTimeoutMs,
      });
    return retry(send, {
      attempts: 3,
      firstDelayMs: 500,
      maxDelayMs: 4_000,
      isTransient: isUnavailable,
      atLeastMs: retryAfterMsOf,
      signal: AbortSignal.timeout(taskStatusMs),
    });
  }

  async renewToken(workspace: Workspace, node: { readonly nodeId: string; readonly nodeToken: string }) {
    return this.controlPlane.post({
      path: `/api/workspaces/${workspace.workspaceId}/callback-token/renew`,
      token: workspace.callbackToken,
      body: node,
      answer: RenewCallbackTokenResult,
      timeoutMs: this.timeouts.renewalTimeoutMs,
    });
  }

  private async report(workspace: Workspace, callback: Callback, signal: AbortSignal): Promise<void> {
    await retry(() => this.post(workspace, { ...callback, answer: CallbackResult }, signal), {
      attempts: 5,
      firstDelayMs: 1_000,
      maxDelayMs: 30_000,
      isTransient: isUnavailable,
      signal,
    });
  }

  private post<Schema extends z.ZodMiniType>(
    workspace: Workspace,
    { name, body, answer }: Callback & { readonly answer: Schema },
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    return this.controlPlane.post({
      path: `/api/workspaces/${workspace.workspaceId}/${name}`,
      token: workspace.callbackToken,
      body,
      answer,
      timeoutMs: name === 'boot-log' ? this.timeouts.bootLogTimeoutMs : this.timeouts.callbackTimeoutMs,
      signal,
    });
  }
}

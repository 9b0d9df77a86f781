import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import {
  type CreateInteraction,
  CreateInteractionResult,
  type InteractionSettings,
  interactionRetryDelaysMs,
  interactionSteadyDelayMs,
  type SettleReason,
} from '../../../protocol/interactions.js';
import { CallbackRefused, CallbackUnavailable, retryAfterMsOf } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ReportedWaiter } from './report-body.js';
import type { ReportStore, StoredReport } from './report-store.js';

/** Reports to the control plane how one request goes on. */
export interface InteractionReport {
  /** @param reason null when the control plane ended it itself */
  end(reason: SettleReason | null): void;
  /** After an accepted link. */
  completeUrl(elicitationId: string): void;
}

export interface Opening {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly waiter: ReportedWaiter;
  readonly create: CreateInteraction;
  readonly delays: RetryDelays;
  readonly onDeadline: (deadlineAt: number) => void;
  /** The control plane does not take the request. */
  readonly onRefused: (reason: string) => void;
}

type RetryDelays = Pick<InteractionSettings, 'settleRetryDelaysMs' | 'settleRetrySteadyMs'>;
/** After a restart: a stored report does not have the delays of its session. */
const usualDelays: RetryDelays = {
  settleRetryDelaysMs: [...interactionRetryDelaysMs],
  settleRetrySteadyMs: interactionSteadyDelayMs,
};
/** One attempt. */
const attemptMs = 10_000;

interface InteractionReportsDeps {
  readonly store: ReportStore;
  readonly controlPlane: ControlPlane;
  readonly findWorkspace: (workspaceId: string) => Workspace | null;
  readonly log: Log;
  readonly now: () => number;
}

interface Call<Schema extends z.ZodMiniType> {
  readonly report: Pick<StoredReport, 'workspaceId' | 'projectId' | 'deadlineAt'>;
  /** Below the address of all interactions. */
  readonly path: string;
  readonly body: unknown;
  readonly answer: Schema;
  readonly delays: RetryDelays;
  /** Ends the repeats, not an attempt. */
  readonly signal: AbortSignal;
}

/** Reports the requests that wait for a person to the control plane, with retries. */
export class InteractionReports implements AsyncDisposable {
  private readonly lifetime = new AbortController();

  constructor(private readonly deps: InteractionReportsDeps) {}

  /** Sends the reports that an earlier run of the agent left behind. */
  start(): void {
    for (const report of this.deps.store.leftovers()) void this.deliver(report, usualDelays);
  }

  open(opening: Opening): InteractionReport {
    const { workspaceId, projectId, waiter, create, delays } = opening;
    const { store } = this.deps;
    const { interactionId } = waiter;
    const report = { workspaceId, projectId, waiter, deadlineAt: create.deadlineAt };
    const ended = new AbortController();
    store.open(report);
    const isKnown = this.create(opening, ended.signal);
    const deliver = async (call: StoredReport['call']) => {
      if (await isKnown) await this.deliver({ ...report, call }, delays);
      else store.remove(interactionId, call.name);
    };
    return {
      end: (reason) => {
        ended.abort();
        if (reason === null) return store.remove(interactionId, 'settle');
        store.settle(interactionId, reason);
        void deliver({ name: 'settle', reason });
      },
      completeUrl: (elicitationId) => {
        store.completeUrl(report, elicitationId);
        void deliver({ name: 'complete-url', elicitationId });
      },
    };
  }

  /** Without effect on what is stored. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.lifetime.abort();
  }

  /** Returns false when the control plane certainly does not have the request. */
  private async create(opening: Opening, signal: AbortSignal): Promise<boolean> {
    const { create, delays, onDeadline, onRefused } = opening;
    const report = { ...opening, deadlineAt: create.deadlineAt };
    const answer = CreateInteractionResult;
    const call = { report, path: '', body: create, answer, delays, signal };
    try {
      const { deadlineAt } = await this.send(call);
      onDeadline(deadlineAt);
      return true;
    } catch (error) {
      if (!(error instanceof CallbackRefused)) return true;
      this.deps.store.remove(create.interactionId, 'settle');
      this.deps.log.warn('The control plane does not take an interaction', { error });
      onRefused(error.reason || error.message);
      return false;
    }
  }

  /** Removes the report once it is answered, or when a later attempt has no use. */
  private async deliver({ call, ...report }: StoredReport, delays: RetryDelays): Promise<void> {
    const { waiter } = report;
    const { name, ...detail } = call;
    const path = `/${waiter.interactionId}/${name}`;
    const { signal } = this.lifetime;
    const body = { ...waiter, ...detail };
    try {
      await this.send({ report, path, body, answer: z.unknown(), delays, signal });
    } catch (error) {
      if (signal.aborted) return;
      this.deps.log.warn('Could not report the end of an interaction', { name, error });
    }
    this.deps.store.remove(waiter.interactionId, name);
  }

  /** At least one attempt, also after the deadline. @throws the last error */
  private async send<Schema extends z.ZodMiniType>(call: Call<Schema>): Promise<z.infer<Schema>> {
    const { delays, report } = call;
    const signal = AbortSignal.any([call.signal, this.lifetime.signal]);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.attempt(call);
      } catch (error) {
        const delayMs = delays.settleRetryDelaysMs[attempt] ?? delays.settleRetrySteadyMs;
        const isLast = this.deps.now() + delayMs >= report.deadlineAt;
        if (!(error instanceof CallbackUnavailable) || isLast || signal.aborted) throw error;
        await wait(Math.max(delayMs, retryAfterMsOf(error)), undefined, { signal, ref: false });
      }
    }
  }

  /** With the token that the workspace has by then. */
  private attempt<Schema extends z.ZodMiniType>({ report, path, body, answer }: Call<Schema>) {
    const { workspaceId, projectId } = report;
    const workspace = this.deps.findWorkspace(workspaceId);
    if (!workspace) throw new Error('The workspace is deleted');
    return this.deps.controlPlane.post({
      path: `/api/projects/${projectId}/workspaces/${workspaceId}/acp-interactions${path}`,
      token: workspace.callbackToken,
      body,
      answer,
      timeoutMs: attemptMs,
    });
  }
}

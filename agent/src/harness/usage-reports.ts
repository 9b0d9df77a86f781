import { setTimeout as wait } from 'node:timers/promises';
import type { ReportedWindow } from '../../../protocol/usage-windows.js';
import type { Log } from '../shared/log.js';
import type { HarnessRequest } from './harness.js';
import type { HarnessCallbacks } from './harness-callbacks.js';

/** Between two reports of a session: a harness may state its limits with each answer. */
const spacingMs = 2_000;
/** Of the control plane. */
const maxWindows = 16;

/** Reports the newest figures of each rate-limit window of a session, one report at a time. */
export class UsageReports {
  /** Figures that wait, by session. A session is in it while a report of it is on its way. */
  private readonly waiting = new Map<string, Map<string, ReportedWindow>>();

  constructor(
    private readonly nodeId: string,
    private readonly callbacks: HarnessCallbacks,
    private readonly log: Log,
  ) {}

  /** Reports in the background. Failures do not affect the session. */
  add(request: HarnessRequest, windows: readonly ReportedWindow[]): void {
    if (!request.projectId || windows.length === 0) return;
    const session = `${request.workspace.workspaceId}/${request.sessionId}`;
    const pending = this.waiting.get(session);
    const newest = pending ?? new Map<string, ReportedWindow>();
    for (const window of windows) newest.set(window.windowType, window);
    if (pending) return;
    this.waiting.set(session, newest);
    void this.sendAll(request, newest).finally(() => this.waiting.delete(session));
  }

  private async sendAll(request: HarnessRequest, newest: Map<string, ReportedWindow>): Promise<void> {
    while (newest.size > 0) {
      const rateLimits = [...newest.values()].slice(0, maxWindows);
      newest.clear();
      await this.send(request, rateLimits).catch((error: unknown) =>
        this.log.debug('Could not report the usage of the provider', { sessionId: request.sessionId, error }),
      );
      await wait(spacingMs, undefined, { ref: false });
    }
  }

  private async send(request: HarnessRequest, rateLimits: ReportedWindow[]): Promise<void> {
    const { workspace, sessionId, projectId, agentType } = request;
    const [first] = rateLimits;
    if (!projectId || !first) return;
    await this.callbacks.usage(
      workspace,
      { projectId, sessionId },
      {
        ...{ nodeId: this.nodeId, workspaceId: workspace.workspaceId, agentType },
        ...{ source: first.source, observedAt: new Date().toISOString(), rateLimits },
      },
    );
  }
}

import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { NodeToken } from '../control-plane/node-token.js';
import type { Log } from '../shared/log.js';
import { SingleFlight } from '../shared/single-flight.js';

interface ProjectHeartbeatDeps {
  readonly database: DatabaseSync;
  readonly controlPlane: Pick<ControlPlane, 'post' | 'isStopped'>;
  readonly token: Pick<NodeToken, 'value'>;
  readonly log: Log;
}

/** Sends node heartbeats to each project with an agent session in a running workspace. */
export class ProjectHeartbeats implements AsyncDisposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly sending = new SingleFlight();
  private readonly ended = new AbortController();

  constructor(
    private readonly options: {
      readonly nodeId: string;
      readonly intervalMs: number;
      readonly timeoutMs: number;
    },
    private readonly deps: ProjectHeartbeatDeps,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.sendRound(), this.options.intervalMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.ended.abort();
    await this.sending.current;
  }

  /** Skips a round while the previous one runs. */
  private sendRound(): void {
    if (this.deps.controlPlane.isStopped) return;
    void this.sending.run(async () => {
      await Promise.all(this.projects().map((projectId) => this.report(projectId)));
    });
  }

  private async report(projectId: string): Promise<void> {
    const { nodeId, timeoutMs } = this.options;
    const { controlPlane, token, log } = this.deps;
    try {
      await controlPlane.post({
        path: `/api/projects/${projectId}/node-acp-heartbeat`,
        token: token.value,
        body: { nodeId },
        answer: z.unknown(),
        timeoutMs,
        signal: this.ended.signal,
      });
    } catch (error) {
      // The next round repeats the heartbeat.
      if (!this.ended.signal.aborted) log.warn('Could not send the project heartbeat', { projectId, error });
    }
  }

  private projects(): string[] {
    return this.deps.database
      .prepare(
        `SELECT DISTINCT project_id FROM agent_sessions JOIN workspaces USING (workspace_id)
         WHERE project_id IS NOT NULL AND agent_sessions.status <> 'stopped'
           AND workspaces.status IN ('running', 'recovering')`,
      )
      .all()
      .map((row) => String(row.project_id));
  }
}

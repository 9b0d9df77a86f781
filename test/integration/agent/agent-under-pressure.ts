import type { Agent } from '../../../agent/src/agent.js';
import { composeAgent } from '../../../agent/src/composition/compose-agent.js';
import { readConfig } from '../../../agent/src/config/config.js';
import { LogRing } from '../../../agent/src/diagnostics/log-ring.js';
import type { ContainerUse, PressureEvent, PressureSource } from '../../../agent/src/pressure/pressure.js';
import { Log } from '../../../agent/src/shared/log.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';

/** A resource guard that reports what the test says. */
class ReportedPressure implements PressureSource {
  critical = false;
  use: readonly ContainerUse[] = [];
  private readonly queue: PressureEvent[] = [];
  private wake = () => {};
  private hasEnded = false;

  async *events() {
    while (!this.hasEnded) {
      const event = this.queue.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }

  level() {
    return this.critical ? ('critical' as const) : ('none' as const);
  }

  async sample() {
    return this.use;
  }

  report(event: PressureEvent): void {
    this.queue.push(event);
    this.wake();
  }

  end(): void {
    this.hasEnded = true;
    this.wake();
  }
}

/** An agent in this process, so that the test can report pressure to it. */
export class AgentUnderPressure extends AgentProcess {
  pressure = new ReportedPressure();
  private agent: Agent | null = null;

  override async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    this.output = '';
    this.pressure = new ReportedPressure();
    const log = new Log({ level: 'info', format: 'json' }, (line) => {
      this.output += line;
    });
    const config = readConfig(this.variables(more));
    this.agent = await composeAgent(config, log, { ring: new LogRing(), pressure: this.pressure });
    await this.agent.start();
    this.port = await until('the agent listens', () => {
      const port = /"message":"Agent listens".*?"port":(\d+)/.exec(this.output)?.[1];
      return port ? Number(port) : undefined;
    });
  }

  /** Reports critical memory pressure, of which these containers are the cause. */
  press(...workspaceIds: readonly string[]): void {
    const collectedAt = new Date();
    this.pressure.critical = true;
    this.pressure.use = workspaceIds.map((workspaceId, index) => ({
      id: `svc-ws-${workspaceId}`,
      name: `svc-ws-${workspaceId}`,
      workspaceId,
      cpuPercent: 0,
      memoryBytes: 100 - index,
      memoryLimitBytes: 200,
      memoryPercent: 50,
      pids: 1,
      collectedAt,
    }));
    const { use: containers } = this.pressure;
    this.pressure.report({ type: 'system_memory_pressure', level: 'critical', collectedAt, containers });
  }

  override async kill(): Promise<void> {
    this.pressure.end();
    await this.agent?.stop();
    this.agent = null;
  }
}

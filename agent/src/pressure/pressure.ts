/** What the node observes of its memory and disk, for those who act on it. */

export type PressureLevel = 'none' | 'warning' | 'critical';

/** What one container used when it was sampled. */
export interface ContainerUse {
  readonly id: string;
  readonly name: string;
  /** Of the workspace whose container it is. */
  readonly workspaceId: string | undefined;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly memoryPercent: number;
  readonly pids: number;
  readonly collectedAt: Date;
}

export type PressureEvent =
  | {
      readonly type: 'system_memory_pressure' | 'disk_pressure';
      readonly level: 'warning' | 'critical';
      readonly collectedAt: Date;
      /** Largest memory first. Empty when no fresh sample could be taken. */
      readonly containers: readonly ContainerUse[];
    }
  | {
      /** The kernel ended the container for want of memory. */
      readonly type: 'container_oom';
      readonly level: 'critical';
      readonly containerId: string;
      readonly containerName: string;
      readonly workspaceId: string | undefined;
      readonly exitCode: number | undefined;
      readonly occurredAt: Date;
    };

export interface PressureSource {
  /** From bounded queues: what does not fit is dropped and counted. Ends when it is disposed. */
  events(): AsyncIterable<PressureEvent>;
  /** `critical` only while the last sample of the node's memory or disk is. */
  level(): PressureLevel;
  /**
   * Now, largest memory first, then largest share of the limit, then id.
   *
   * @throws when the engine does not answer
   */
  sample(signal: AbortSignal): Promise<readonly ContainerUse[]>;
}

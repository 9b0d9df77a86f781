/** How short of memory or disk the node is. */
export type PressureLevel = 'none' | 'warning' | 'critical';

/** What one container used when it was sampled. `memoryPercent` is of its own limit. */
export interface ContainerUse {
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string | undefined;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly memoryPercent: number;
  readonly pids: number;
  readonly collectedAt: Date;
}

/** The node is short of memory (PSI) or of disk. */
export interface NodePressureEvent {
  readonly type: 'system_memory_pressure' | 'disk_pressure';
  readonly level: 'warning' | 'critical';
  readonly collectedAt: Date;
  readonly containers: readonly ContainerUse[];
}

/** An OOM kill that ended a container. */
export interface ContainerOomEvent {
  readonly type: 'container_oom';
  readonly level: 'critical';
  readonly containerId: string;
  readonly containerName: string;
  readonly workspaceId: string | undefined;
  readonly exitCode: number | undefined;
  readonly occurredAt: Date;
}

export type PressureEvent = NodePressureEvent | ContainerOomEvent;

/** What the resource guard reports to whoever acts on it. */
export interface PressureSource {
  /**
   * The events from this call on, in a queue of DEFAULT_RESOURCE_EVENT_BUFFER_SIZE of its own. When
   * it is full the newest event is dropped, counted and warned about. Ends when disposed.
   */
  events(): AsyncIterable<PressureEvent>;
  /**
   * The level now; `critical` only while the last sample is. Of memory or of disk, or the worse of
   * both.
   */
  level(of?: NodePressureEvent['type']): PressureLevel;
  /**
   * A fresh sample of the containers: largest memory first, then percent, then id. Throws when the
   * engine does not answer.
   */
  sample(signal: AbortSignal): Promise<readonly ContainerUse[]>;
}

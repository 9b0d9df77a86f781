import type { HealthConfig } from 'dockerode';

/** When the next service, and the commands of the workspace, may start. */
export type ServiceReady = 'started' | 'healthy' | 'completed';

/** A container beside the workspace's own, in its network. */
export interface ServicePlan {
  /** Name in the compose file, and host name in the workspace. */
  readonly name: string;
  readonly image: string;
  /** Null: those of the image. */
  readonly entrypoint: readonly string[] | null;
  readonly command: readonly string[] | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly workDir: string | null;
  readonly mounts: readonly ServiceMount[];
  readonly capabilities: readonly string[];
  readonly securityOptions: readonly string[];
  /** Null: the health check of the image. */
  readonly healthcheck: HealthConfig | null;
  readonly isRestarted: boolean;
  readonly ready: ServiceReady;
}

export interface ServiceMount {
  readonly volume: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

export interface Services {
  /** In the order in which they start. */
  readonly plans: readonly ServicePlan[];
  /** Host names of all services, the workspace's own included. */
  readonly hosts: readonly string[];
}

export const noServices: Services = { plans: [], hosts: [] };

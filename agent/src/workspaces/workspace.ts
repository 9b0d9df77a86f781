import * as z from 'zod/mini';
import {
  CreateNodeWorkspace,
  type NodeWorkspace,
  nodeWorkspaceStatuses,
} from '../../../protocol/node-api.js';

/** The requested settings of a workspace; a repeated create must request the same. */
export const WorkspaceSettings = z.omit(CreateNodeWorkspace, {
  workspaceId: true,
  generation: true,
  callbackToken: true,
  evictionGeneration: true,
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export type WorkspaceStatus = (typeof nodeWorkspaceStatuses)[number];
export const WorkspaceStatus = z.enum(nodeWorkspaceStatuses);

/** A callback that the control plane has not answered; it is sent again after each heartbeat. */
export const PendingCallback = z.nullable(z.enum(['ready', 'failed']));
export type PendingCallback = z.infer<typeof PendingCallback>;

/**
 * How the next provisioning works: from nothing until the workspace has run once, then from its
 * files, in the existing container or a new one.
 */
export const ProvisionKind = z.enum(['create', 'restart', 'rebuild']);
export type ProvisionKind = z.infer<typeof ProvisionKind>;

export interface Workspace {
  readonly workspaceId: string;
  readonly generation: number;
  readonly status: WorkspaceStatus;
  readonly settings: WorkspaceSettings;
  readonly callbackToken: string;
  readonly provisionKind: ProvisionKind;
  readonly errorMessage: string | null;
  readonly pendingCallback: PendingCallback;
  /**
   * The fence: its eviction has begun, and only a restart or rebuild with the generation of the
   * control plane makes it run again.
   */
  readonly isEvicted: boolean;
  /** The generation of the fence; empty when the control plane has given none. */
  readonly evictionGeneration: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Name of the folder that holds the repository. */
export function repositoryFolder({ repository, cloneUrl }: WorkspaceSettings): string {
  const path = repository ?? (cloneUrl ? new URL(cloneUrl).pathname : '');
  const name = path
    .split('/')
    .filter(Boolean)
    .at(-1)
    ?.replace(/\.git$/, '')
    .replace(/[^A-Za-z0-9._-]/g, '-');
  return name && !/^\.+$/.test(name) ? name : 'workspace';
}

export function hasRepository({ repository, cloneUrl }: WorkspaceSettings): boolean {
  return repository !== null || cloneUrl !== null;
}

/** Boot-log message of the clone step. */
export function cloneText({ settings }: Workspace): string {
  const { repository, cloneUrl, branch } = settings;
  const name = repository ?? cloneUrl;
  return name ? `Cloning ${name}${branch ? ` (${branch})` : ''}` : 'Creating empty repository';
}

/** Whether the workspace can be used; `recovering` runs from the default image. */
export function isRunning({ status, isEvicted }: Pick<Workspace, 'status' | 'isEvicted'>): boolean {
  return !isEvicted && (status === 'running' || status === 'recovering');
}

/** The workspace as the node's API shows it. @param sessions number of running terminals */
export function nodeWorkspace(workspace: Workspace, sessions: number): NodeWorkspace {
  const { workspaceId, generation, status, settings, createdAt, updatedAt, errorMessage } = workspace;
  const { repository, branch } = settings;
  return {
    workspaceId,
    generation,
    status,
    repository,
    branch,
    createdAt,
    updatedAt,
    sessions,
    errorMessage,
  };
}

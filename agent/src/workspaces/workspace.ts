import * as z from 'zod/mini';
import { CreateNodeWorkspace, nodeWorkspaceStatuses } from '../../../protocol/node-api.js';

/** What a workspace was asked to be; a repeated create must ask for the same. */
export const WorkspaceSettings = z.omit(CreateNodeWorkspace, {
  workspaceId: true,
  generation: true,
  callbackToken: true,
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export type WorkspaceStatus = (typeof nodeWorkspaceStatuses)[number];
export const WorkspaceStatus = z.enum(nodeWorkspaceStatuses);

/** A callback that the control plane has not answered yet; it is repeated after each heartbeat. */
export const PendingCallback = z.nullable(z.enum(['ready', 'failed']));
export type PendingCallback = z.infer<typeof PendingCallback>;

/**
 * How the workspace is made when it is made next: from nothing until it has run once, afterwards from its files, in the
 * container it has or in a new one.
 */
export const Making = z.enum(['create', 'restart', 'rebuild']);
export type Making = z.infer<typeof Making>;

export interface Workspace {
  readonly workspaceId: string;
  readonly generation: number;
  readonly status: WorkspaceStatus;
  readonly settings: WorkspaceSettings;
  readonly callbackToken: string;
  readonly making: Making;
  readonly errorMessage: string | null;
  readonly pendingCallback: PendingCallback;
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

/** What the clone of a workspace is about, for people. */
export function cloneText({ settings }: Workspace): string {
  const { repository, cloneUrl, branch } = settings;
  const name = repository ?? cloneUrl;
  return name ? `Cloning ${name}${branch ? ` (${branch})` : ''}` : 'Making an empty repository';
}

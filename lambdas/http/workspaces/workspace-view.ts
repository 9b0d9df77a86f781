import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { RepositoryPermission } from '../../domain/code-host/code-host.js';
import { ResourceRequirements, type Workspace, workspaceUrl } from '../../domain/workspaces/workspace.js';
import { workspaceStatuses } from '../../domain/workspaces/workspace-status.js';

/** What clients see of a workspace. */
export const WorkspaceView = z.object({
  id: Ulid,
  projectId: z.nullable(Ulid),
  displayName: z.string(),
  repository: z.nullable(z.string()),
  installationId: z.nullable(z.string()),
  /** Whether git in the workspace may push: as its creator could when they created it. */
  repositoryPermission: z._default(RepositoryPermission, 'read'),
  branch: z.nullable(z.string()),
  status: z.enum(workspaceStatuses),
  /** Grows with every change, as in live messages. Clients drop lower versions than they have. */
  version: z.int(),
  generation: z.int(),
  nodeId: z.nullable(Ulid),
  /** Base address of its terminals, once its node is known. */
  url: z.nullable(z.string()),
  resourceRequirements: z.nullable(ResourceRequirements),
  errorMessage: z.nullable(z.string()),
  /** Why a `pending` workspace waits for a slot; null while it does not wait. */
  admissionReason: z._default(z.nullable(z.string()), null),
  /** When its placement is tried again at the latest. */
  admissionNextRetryAt: z._default(z.nullable(z.iso.datetime()), null),
  /** Its place among the waiting workspaces of its owner; the first is 1. */
  admissionQueuePosition: z._default(z.nullable(z.int()), null),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type WorkspaceView = z.infer<typeof WorkspaceView>;

export function workspaceView(workspace: Workspace, urlTemplate: string): WorkspaceView {
  const { workspaceId, nodeId, nodeUrl } = workspace;
  const url = nodeId && nodeUrl ? workspaceUrl(urlTemplate, { workspaceId, nodeId, nodeUrl }) : null;
  // Every other field has the row's own name; the schema drops what is not in the view.
  return WorkspaceView.parse({ ...workspace, id: workspaceId, url });
}

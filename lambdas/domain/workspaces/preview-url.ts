import { previewLabel } from '../../../protocol/preview-host.js';
import { type Workspace, workspaceUrl } from './workspace.js';

/**
 * The address of a service at a host of its own; null while its workspace has no node, and where
 * workspaces have no names of their own.
 */
export function previewUrl(
  template: string,
  { workspace, port }: { readonly workspace: Workspace; readonly port: number },
): string | null {
  const { workspaceId, nodeId, nodeUrl } = workspace;
  if (nodeId === null || nodeUrl === null) return null;
  const url = new URL(workspaceUrl(template, { workspaceId, nodeId, nodeUrl }));
  const [label = '', ...domain] = url.hostname.split('.');
  if (label !== `ws-${workspaceId.toLowerCase()}`) return null;
  url.hostname = [previewLabel({ workspaceId, port }), ...domain].join('.');
  return url.href;
}

import * as z from 'zod/mini';
import { namePort, type PortToName, previewUrl } from '../domain/workspaces/name-port.js';
import { workspaceUrl } from '../domain/workspaces/workspace.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import { nodeZone } from './node-zone.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export interface Preview {
  readonly url: string;
  /** From when the host of `url` resolves. */
  readonly readyAt: string;
}

/** A port at a host of its own, or null where workspaces have no names of their own. */
export async function previewOf(wanted: PortToName): Promise<Preview | null> {
  const { workspaceId, nodeId, nodeUrl } = wanted.workspace;
  if (nodeId === null || nodeUrl === null) return null;
  const ofWorkspace = workspaceUrl(env.WORKSPACE_URL_TEMPLATE, { workspaceId, nodeId, nodeUrl });
  const url = previewUrl(ofWorkspace, { workspaceId, port: wanted.port });
  if (url === null) return null;
  return { url, readyAt: (await namePort(table, nodeZone, wanted)).toISOString() };
}

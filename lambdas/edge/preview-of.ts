import * as z from 'zod/mini';
import { namePort, type PortToName } from '../domain/workspaces/name-port.js';
import { previewUrl } from '../domain/workspaces/preview-url.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import { nodeZone } from './node-zone.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export interface Preview {
  readonly url: string;
  /** From when the host of `url` resolves. */
  readonly readyAt: Date;
}

/** A port at a host of its own, or null where workspaces have no names of their own. */
export async function previewOf(wanted: PortToName): Promise<Preview | null> {
  const url = previewUrl(env.WORKSPACE_URL_TEMPLATE, wanted);
  if (url === null) return null;
  return { url, readyAt: await namePort(table, nodeZone, wanted) };
}

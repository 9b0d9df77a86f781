import * as z from 'zod/mini';
import { BootEnv } from '../../../protocol/boot.js';
import type { BootLogEntry } from '../../../protocol/callbacks.js';
import { appendBootLog } from '../../domain/boot-log/boot-log.js';
import { newBootstrapToken, userData } from '../../domain/nodes/bootstrap.js';
import type { Node } from '../../domain/nodes/node.js';
import type { WorkspaceGeneration } from '../../domain/workspaces/find-workspace.js';
import { readEnv } from '../../shared/env.js';
import type { Table } from '../../shared/table.js';

const env = readEnv({ PUBLIC_URL: z.url(), CALLBACK_URL: z.url(), TOKEN_ISSUER: z.url() });
/** Names and values are those of the node. */
const acme = readEnv(
  z.pick(BootEnv, { ACME_DIRECTORY: true, ACME_CONTACT: true, ACME_PROFILE: true, ACME_TRUST_ANCHORS: true })
    .shape,
);

/** One run of the step LaunchNode. */
export interface LaunchCall {
  readonly table: Table;
  readonly node: Node;
  readonly workspace: WorkspaceGeneration;
  readonly now: Date;
  readonly newId: () => string;
}

interface Boot {
  readonly token: string;
  readonly userData: string;
}

/** A new bootstrap token, in the user data of the node. */
export function newBoot({ nodeId }: Node): Boot {
  const token = newBootstrapToken();
  const boot = {
    NODE_ID: nodeId,
    CONTROL_PLANE_URL: env.PUBLIC_URL,
    CALLBACK_URL: env.CALLBACK_URL,
    JWT_ISSUER: env.TOKEN_ISSUER,
    BOOTSTRAP_TOKEN: token,
    ...acme,
  };
  return { token, userData: userData(boot) };
}

export async function logLaunch(
  { table, node, workspace, now, newId }: LaunchCall,
  status: BootLogEntry['status'],
  message: string,
): Promise<void> {
  const entry = { step: 'node_launch', status, message, timestamp: now.toISOString() } as const;
  await appendBootLog(table, { ...workspace, nodeId: node.nodeId }, { entryId: newId(), entry, now });
}

import type { Transfer } from '../../../protocol/workspace-files.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { issueToken } from '../tokens/issue-token.js';
import type { Workspace } from '../workspaces/workspace.js';
import { workspaceUrl } from '../workspaces/workspace.js';
import type { NodeAddress } from './node-address.js';

interface TransferOrder {
  readonly workspace: Pick<Workspace, 'workspaceId' | 'generation'>;
  readonly address: NodeAddress;
  readonly person: { readonly userId: string; readonly sessionHash: string };
  readonly transfer: Transfer;
  /** Of what is read. */
  readonly path?: string;
  /** Template of the addresses of workspaces. */
  readonly urlTemplate: string;
  readonly now: Date;
}

interface TransferAddress {
  readonly url: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * The address for one file transfer between a client and the node, docs/decisions/0013. Its token
 * allows this transfer only, and only starts it within a minute.
 */
export async function transferAddress(keys: SigningKeys, order: TransferOrder): Promise<TransferAddress> {
  const { workspace, address, person, transfer, path, urlTemplate, now } = order;
  const { workspaceId, generation } = workspace;
  const { nodeId } = address;
  const asked = path === undefined ? {} : { path };
  const { token, expiresAt } = await issueToken(keys, 'transfer', {
    claims: {
      sub: person.userId,
      workspace: workspaceId,
      node: nodeId,
      generation,
      session: person.sessionHash,
      transfer,
      ...asked,
    },
    now,
  });
  const base = workspaceUrl(urlTemplate, { workspaceId, nodeId, nodeUrl: address.url });
  const url = new URL(`/workspaces/${workspaceId}/files/${transfer}`, base);
  url.search = new URLSearchParams({ ...asked, token }).toString();
  return { url: url.href, expiresAt };
}

import * as z from 'zod/mini';
import type { Api } from './api.js';
import { ApiError } from './api-error.js';

const WorkspacePlace = z.object({ nodeId: z.nullable(z.string()) });
const NodeCertificate = z.object({
  certificate: z.nullable(
    z.object({
      state: z.enum(['own', 'ordering', 'issued', 'renewing', 'failed']),
      expiresAt: z.optional(z.string()),
      reason: z.optional(z.string()),
      nextAttemptAt: z.optional(z.string()),
    }),
  ),
});
type NodeCertificate = z.infer<typeof NodeCertificate>['certificate'];

/** Why a browser cannot connect to a node, and what a person can do. */
export interface NodeAdvice {
  readonly text: string;
  /** A page of the node, where a person can accept its certificate; null: that does not help. */
  readonly acceptUrl: string | null;
}

/**
 * A browser does not say why a socket or a request fails: what the node reports of its certificate
 * does.
 */
export function nodeAdvice(workspaceUrl: string, certificate: NodeCertificate, now: Date): NodeAdvice {
  const { origin, host } = new URL(workspaceUrl);
  const acceptUrl = `${origin}/health`;
  const cannot = `Your browser cannot connect to the node at ${host}.`;
  const accept = 'Open the node in a new tab, accept the warning of your browser, and come back.';
  const isTrusted = certificate?.expiresAt !== undefined && new Date(certificate.expiresAt) > now;
  if (isTrusted) {
    const text = `${cannot} Its certificate is valid: a firewall or proxy may block the address. Ask your administrator to allow it.`;
    return { text, acceptUrl: null };
  }
  if (certificate?.state === 'own' || certificate?.state === 'ordering') {
    const text = `${cannot} It is getting its certificate, which takes some seconds.`;
    return { text, acceptUrl: null };
  }
  if (certificate?.state === 'failed') {
    const { reason = 'unknown', nextAttemptAt } = certificate;
    const next = nextAttemptAt
      ? ` The node tries again at ${new Date(nextAttemptAt).toLocaleTimeString()}.`
      : '';
    return { text: `${cannot} It has no valid certificate: ${reason}.${next} ${accept}`, acceptUrl };
  }
  return { text: `${cannot} Browsers do not trust the certificate of this node. ${accept}`, acceptUrl };
}

/** A request to the node failed without an answer. */
export const nodeUnreachable = ({ origin, host }: URL): ApiError =>
  new ApiError(
    `Your browser cannot connect to the node at ${host}. If it does not trust the certificate of the node, open ${origin}/health in a new tab and accept the warning. The terminal of the workspace shows what the node reports.`,
    { status: 0, code: 'UNREACHABLE' },
  );

/** The advice with what the node last reported of its certificate, if the person may read that. */
export async function findNodeAdvice(
  api: Api,
  workspaceId: string,
  workspaceUrl: string,
): Promise<NodeAdvice> {
  const certificate = await findCertificate(api, workspaceId).catch(() => null);
  return nodeAdvice(workspaceUrl, certificate, new Date());
}

async function findCertificate(api: Api, workspaceId: string): Promise<NodeCertificate> {
  const { nodeId } = await api.call(`/api/workspaces/${workspaceId}`, { reads: WorkspacePlace });
  if (nodeId === null) return null;
  return (await api.call(`/api/nodes/${nodeId}`, { reads: NodeCertificate })).certificate;
}

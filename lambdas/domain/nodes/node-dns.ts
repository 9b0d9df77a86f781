import { ChangeResourceRecordSetsCommand, type Route53Client } from '@aws-sdk/client-route-53';
import { previewLabel } from '../../../protocol/preview-host.js';

export interface NodeZone {
  readonly client: Route53Client;
  readonly domain: string;
  readonly zoneId: string;
}

const timeToLiveSeconds = 60;

export const nodeHost = (nodeId: string, domain: string): string => `${nodeId.toLowerCase()}.${domain}`;
export const workspaceHost = (workspaceId: string, domain: string): string =>
  `ws-${workspaceId.toLowerCase()}.${domain}`;

interface NamedWorkspace {
  readonly workspaceId: string;
  readonly previewPorts?: ReadonlySet<string> | undefined;
}

/** The names of a workspace, and of its ports that have a host of their own. */
export const namesOf = ({ workspaceId, previewPorts }: NamedWorkspace, domain: string): string[] => [
  workspaceHost(workspaceId, domain),
  ...[...(previewPorts ?? [])].map(
    (port) => `${previewLabel({ workspaceId, port: Number(port) })}.${domain}`,
  ),
];

/** Points names at a node's address, whatever they pointed at before. One call. */
export async function upsertRecords(
  zone: NodeZone,
  hosts: readonly string[],
  ipAddress: string,
): Promise<void> {
  await change(zone, 'UPSERT', { hosts, ipAddress });
}

/**
 * Removes records; a missing record, or one with another address, is left alone. One call if all of
 * them exist.
 */
export async function deleteRecords(
  zone: NodeZone,
  hosts: readonly string[],
  ipAddress: string,
): Promise<void> {
  try {
    await change(zone, 'DELETE', { hosts, ipAddress });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'InvalidChangeBatch')) throw error;
    if (hosts.length === 1) return;
    // One record that cannot be deleted refuses the whole batch.
    await Promise.all(hosts.map((host) => deleteRecords(zone, [host], ipAddress)));
  }
}

async function change(
  { client, zoneId }: NodeZone,
  action: 'UPSERT' | 'DELETE',
  { hosts, ipAddress }: { readonly hosts: readonly string[]; readonly ipAddress: string },
): Promise<void> {
  const changes = hosts.map((host) => ({
    Action: action,
    ResourceRecordSet: {
      Name: host,
      Type: 'A' as const,
      TTL: timeToLiveSeconds,
      ResourceRecords: [{ Value: ipAddress }],
    },
  }));
  await client.send(
    new ChangeResourceRecordSetsCommand({ HostedZoneId: zoneId, ChangeBatch: { Changes: changes } }),
  );
}

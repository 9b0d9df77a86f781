import { ChangeResourceRecordSetsCommand, type Route53Client } from '@aws-sdk/client-route-53';

export interface NodeZone {
  readonly client: Route53Client;
  readonly domain: string;
  readonly zoneId: string;
}

const timeToLiveSeconds = 60;

export const nodeHost = (nodeId: string, domain: string): string => `${nodeId.toLowerCase()}.${domain}`;
export const workspaceHost = (workspaceId: string, domain: string): string =>
  `ws-${workspaceId.toLowerCase()}.${domain}`;

/** Points a name at a node's address, whatever it pointed at before. */
export async function upsertRecord(zone: NodeZone, host: string, ipAddress: string): Promise<void> {
  await change(zone, 'UPSERT', { host, ipAddress });
}

/** Removes a record; a missing record, or one with another address, is left alone. */
export async function deleteRecord(zone: NodeZone, host: string, ipAddress: string): Promise<void> {
  await change(zone, 'DELETE', { host, ipAddress }).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'InvalidChangeBatch')) throw error;
  });
}

async function change(
  { client, zoneId }: NodeZone,
  action: 'UPSERT' | 'DELETE',
  { host, ipAddress }: { readonly host: string; readonly ipAddress: string },
): Promise<void> {
  await client.send(
    new ChangeResourceRecordSetsCommand({
      HostedZoneId: zoneId,
      ChangeBatch: {
        Changes: [
          {
            Action: action,
            ResourceRecordSet: {
              Name: host,
              Type: 'A',
              TTL: timeToLiveSeconds,
              ResourceRecords: [{ Value: ipAddress }],
            },
          },
        ],
      },
    }),
  );
}

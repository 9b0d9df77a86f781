import {
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';

export const nodesDomain = 'nodes.example';
const client = new Route53Client({});

/** Makes the zone of the nodes' names, and passes it to functions in their environment. */
export async function createZone(): Promise<string> {
  const { HostedZone } = await client.send(
    new CreateHostedZoneCommand({ Name: nodesDomain, CallerReference: `${process.pid}-${Date.now()}` }),
  );
  const zoneId = HostedZone?.Id?.replace('/hostedzone/', '');
  if (!zoneId) throw new Error('There is no zone');
  Object.assign(process.env, { NODES_DOMAIN: nodesDomain, NODES_ZONE_ID: zoneId });
  return zoneId;
}

/** What a name in the zone points at. */
export async function addressOfName(zoneId: string, name: string): Promise<string | undefined> {
  const { ResourceRecordSets = [] } = await client.send(
    new ListResourceRecordSetsCommand({ HostedZoneId: zoneId, MaxItems: 300 }),
  );
  const record = ResourceRecordSets.find(
    ({ Name, Type }) => Type === 'A' && Name === `${name}.${nodesDomain}.`,
  );
  return record?.ResourceRecords?.[0]?.Value;
}

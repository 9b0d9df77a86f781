import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Instances } from './ec2/instances.js';

/**
 * Finds the loopback port behind a workspace's address: its row names its node, its node's instance
 * has the port.
 */
export function workspaceFinder(dynamo: DynamoDBClient, tableName: string, instances: Instances) {
  return async (workspaceId: string): Promise<number | undefined> => {
    const { Item } = await dynamo.send(
      new GetItemCommand({
        TableName: tableName,
        Key: { pk: { S: `WORKSPACE#${workspaceId}` }, sk: { S: 'WORKSPACE' } },
        ProjectionExpression: 'nodeId',
      }),
    );
    const nodeId = Item?.nodeId?.S;
    const instance = nodeId === undefined ? undefined : instances.ofNode(nodeId);
    return instance?.state === 'running' ? instance.port : undefined;
  };
}

import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { LiveServerFrame } from '../../../protocol/live.js';
import type { Table } from '../../shared/table.js';
import { closeConnection } from './connection.js';

export interface LiveSockets {
  readonly client: ApiGatewayManagementApiClient;
  readonly table: Table;
}

/** Sends a frame to a connection; one that is gone is forgotten. */
export async function push(
  { client, table }: LiveSockets,
  connectionId: string,
  frame: LiveServerFrame,
): Promise<void> {
  const Data = JSON.stringify(frame);
  try {
    await client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
    await closeConnection(table, connectionId);
  }
}

/** Ends a connection and forgets it. */
export async function endConnection({ client, table }: LiveSockets, connectionId: string): Promise<void> {
  try {
    await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
  }
  await closeConnection(table, connectionId);
}

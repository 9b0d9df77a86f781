// GET /health
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { publicRoute } from '../../edge/anonymous-routes.js';
import { table } from '../../shared/clients/documents.js';
import { health } from './contract.js';

/** Who asks for health does not wait for the SDK's retries. */
const timeoutMs = 1_500;

export const handler = publicRoute(health, async ({ now, log }) => {
  const timestamp = now.toISOString();
  try {
    await table.client.send(new GetCommand({ TableName: table.name, Key: { pk: 'HEALTH', sk: 'HEALTH' } }), {
      abortSignal: AbortSignal.timeout(timeoutMs),
    });
    return { status: 200, body: { status: 'healthy', timestamp } };
  } catch (error) {
    log.warn('The table cannot be reached', { error: error instanceof Error ? error : String(error) });
    return { status: 503, body: { status: 'degraded', timestamp } };
  }
});

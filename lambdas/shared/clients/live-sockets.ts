import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import * as z from 'zod/mini';
import { readEnv } from '../env.js';

const env = readEnv({ LIVE_ENDPOINT: z.url() });

/** Pushes to the connections of the live socket. */
export const liveSockets = new ApiGatewayManagementApiClient({ endpoint: env.LIVE_ENDPOINT });

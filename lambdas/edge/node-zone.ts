import { Route53Client } from '@aws-sdk/client-route-53';
import * as z from 'zod/mini';
import type { NodeZone } from '../domain/nodes/node-dns.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ NODES_DOMAIN: z.optional(z.string()), NODES_ZONE_ID: z.optional(z.string()) });

/** The zone of node names; nothing in a deployment without a nodes domain. */
export const nodeZone: NodeZone | undefined =
  env.NODES_DOMAIN && env.NODES_ZONE_ID
    ? { client: new Route53Client({}), domain: env.NODES_DOMAIN, zoneId: env.NODES_ZONE_ID }
    : undefined;

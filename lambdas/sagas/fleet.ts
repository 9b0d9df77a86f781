import * as z from 'zod/mini';
import type { Fleet } from '../domain/nodes/instances.js';
import { ec2 } from '../shared/clients/ec2.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ DEPLOYMENT_ID: z.string() });

/** This deployment's instances. */
export const fleet: Fleet = { client: ec2, deploymentId: env.DEPLOYMENT_ID };

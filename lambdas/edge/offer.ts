import * as z from 'zod/mini';
import { InstanceType, type Offer } from '../domain/nodes/instance-types.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({
  INSTANCE_TYPES: z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => JSON.parse(text)),
    ),
    z.array(InstanceType),
  ),
  CPU_OVERCOMMIT: z.coerce.number(),
});

/** The machines that this deployment may launch. */
export const offer: Offer = { types: env.INSTANCE_TYPES, cpuOvercommit: env.CPU_OVERCOMMIT };

import { GetParametersCommand } from '@aws-sdk/client-ssm';
import * as z from 'zod/mini';
import type { InstanceType } from '../domain/nodes/instance-types.js';
import { warmTypeOf } from '../domain/nodes/warm-node.js';
import { offer } from '../edge/offer.js';
import { ssm } from '../shared/clients/ssm.js';
import { readEnv } from '../shared/env.js';
import { newId } from '../shared/ids.js';

/** What the deployment keeps waiting, and what it is launched from. */
export interface WarmPool {
  readonly size: number;
  readonly type: InstanceType;
  readonly launchTemplateId: string;
  readonly subnetIds: readonly string[];
  readonly rootDevice: string;
  /** Undefined before the first release. */
  readonly currentImage: () => Promise<string | undefined>;
  readonly newId: () => string;
}

const env = readEnv({
  WARM_NODES: z.coerce.number(),
  NODE_IMAGE_PARAMETER: z.string(),
  LAUNCH_TEMPLATE_ID: z.string(),
  SUBNET_IDS: z.string().check(z.minLength(1)),
  ROOT_DEVICE: z.string().check(z.minLength(1)),
});

const type = warmTypeOf(offer);
if (!type) throw new Error('The deployment has no instance type');

export const warmPool: WarmPool = {
  size: env.WARM_NODES,
  type,
  launchTemplateId: env.LAUNCH_TEMPLATE_ID,
  subnetIds: env.SUBNET_IDS.split(','),
  rootDevice: env.ROOT_DEVICE,
  currentImage,
  newId,
};

async function currentImage(): Promise<string | undefined> {
  const { Parameters } = await ssm.send(new GetParametersCommand({ Names: [env.NODE_IMAGE_PARAMETER] }));
  return Parameters?.[0]?.Value;
}

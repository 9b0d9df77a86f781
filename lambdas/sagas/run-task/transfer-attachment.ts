// run-task: TransferAttachment
import * as z from 'zod/mini';
import { transferAttachment } from '../../domain/tasks/transfer-attachment.js';
import { step } from '../../edge/step.js';
import { s3 } from '../../shared/clients/s3.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { TaskRun } from '../inputs.js';

const env = readEnv({ UPLOADS_BUCKET: z.string() });

const Input = z.extend(TaskRun, { index: z.int().check(z.gte(0)) });

export const handler = step(Input, async ({ input, table, now }) => ({
  next: await transferAttachment(table, input, { s3, bucket: env.UPLOADS_BUCKET, keys: signingKeys, now }),
}));

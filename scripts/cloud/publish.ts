import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { uploadFolder } from '../../local/deployment/upload-folder.js';
import { deploymentContext } from '../deployment-context.js';
import { stackOutputs } from '../release/stack-outputs.js';

/** Puts the built console into the deployed console bucket. */
const stackName = `${deploymentContext(process.argv.slice(2)).deploymentId}-data`;
const folder = join(import.meta.dirname, '../../dist/web');

if (existsSync(folder)) {
  const bucket = (await stackOutputs(stackName))('ConsoleBucket');
  console.log(`Console: ${await uploadFolder(new S3Client({}), bucket, folder)} files`);
}

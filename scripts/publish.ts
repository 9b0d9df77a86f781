import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { uploadFolder } from '../local/deployment/upload-folder.js';
import { deploymentContext } from './deployment-context.js';

/** Puts the built console into the deployed console bucket. */
const stackName = `${deploymentContext(process.argv.slice(2)).deploymentId}-data`;
const folder = join(import.meta.dirname, '../dist/web');

if (existsSync(folder)) {
  const { Stacks } = await new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: stackName }),
  );
  const bucket = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'ConsoleBucket')?.OutputValue;
  if (!bucket) throw new Error(`The stack ${stackName} has no output ConsoleBucket`);
  console.log(`Console: ${await uploadFolder(new S3Client({}), bucket, folder)} files`);
}

import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { DeleteParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { deploymentContext } from '../deployment-context.js';
import { emptyBucket } from '../release/empty-bucket.js';
import { removeImages } from '../release/fleet-image.js';
import { stackOutputs } from '../release/stack-outputs.js';

/**
 * Part of `npm run destroy`: what releases made beside the stacks, images with their disks and the
 * parameter; and, where data is not to be kept, what is in the buckets.
 */
const { deploymentId, nodeImageParameter, retainData } = deploymentContext(process.argv.slice(2));
const removed = await removeImages(new EC2Client({}), { deploymentId, keep: () => [] });
console.log(`Images removed: ${removed.length}`);
try {
  await new SSMClient({}).send(new DeleteParameterCommand({ Name: nodeImageParameter }));
} catch (error) {
  if (!(error instanceof ParameterNotFound)) throw error;
}
if (!retainData) {
  const output = await stackOutputs(`${deploymentId}-data`);
  for (const name of ['ArtifactsBucket', 'SnapshotsBucket', 'ConsoleBucket']) {
    console.log(`${name}: ${await emptyBucket(new S3Client({}), output(name))} objects deleted`);
  }
}

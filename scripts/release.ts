import { join } from 'node:path';
import { EC2Client } from '@aws-sdk/client-ec2';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { KmsSigningKeys } from '../lambdas/shared/kms-signing-keys.js';
import { openTable } from '../lambdas/shared/open-table.js';
import { buildRelease } from './agent-binaries/build-release.js';
import { platforms } from './agent-binaries/platforms.js';
import { currentRelease } from './agent-binaries/release.js';
import { signRelease } from './agent-binaries/sign-release.js';
import { uploadRelease } from './agent-binaries/upload-release.js';
import { bakeImage } from './release/bake-image.js';
import { findImage, removeImages } from './release/fleet-image.js';
import { publishedRelease } from './release/published-release.js';
import { releaseOptions } from './release/release-options.js';
import { stackOutputs } from './release/stack-outputs.js';
import { type Cloud, takeOver } from './release/take-over.js';

/**
 * `npm run release`: builds, signs and publishes the agent of this commit, bakes the node image,
 * has new nodes launched from it and drains the old ones. `-- --to <commit>` takes an earlier
 * release instead: that is how to go back.
 */
const root = join(import.meta.dirname, '..');
/** As many images are kept as there are releases to go back to. */
const keptImages = 3;

const options = releaseOptions(process.argv.slice(2));
const { deploymentId, arch, imageParameter } = options;
const output = await stackOutputs(`${deploymentId}-data`);
const ec2 = new EC2Client({});
const cloud: Cloud = {
  s3: new S3Client({}),
  bucket: output('ArtifactsBucket'),
  ssm: new SSMClient({}),
  fleet: { client: ec2, deploymentId },
  table: openTable(output('TableName')),
};

const { release, agentVersion, imageId } = await (options.to ? earlier(options.to) : made());
const nodes = await takeOver(cloud, { release, agentVersion, imageId, imageParameter, now: new Date() });
const removed = await removeImages(ec2, {
  deploymentId,
  keep: (newestFirst) => [imageId, ...newestFirst.slice(0, keptImages)],
});
console.log(`New nodes use release ${release} (${imageId}). Removed ${removed.length} old images.`);
console.log(
  `Nodes: ${nodes.current} of this release; ${nodes.empty} empty nodes of other releases, removed within 30 minutes; ` +
    `${nodes.draining} nodes of other releases, removed when their workspaces are stopped.`,
);

async function made() {
  const current = currentRelease();
  if (current.isModified)
    throw new Error(
      'There are uncommitted changes, and a release is a commit. Commit or stash them, then run npm run release again.',
    );
  const built = await buildRelease({
    release: current,
    platforms,
    parent: join(root, 'dist/agents'),
    onBuilt: ({ file, sha256 }) => console.log(`Built ${file}, sha256 ${sha256}`),
  });
  const keys = new KmsSigningKeys(new KMSClient({}), output('SigningKeyArns').split(','), deploymentId);
  const signed = await signRelease(built, keys);
  const { uploaded } = await uploadRelease(cloud, signed);
  console.log(`Published ${current.id}, ${uploaded} files new`);
  const known = await findImage(ec2, { deploymentId, arch, release: current.id });
  const region = await ec2.config.region();
  return { ...built.manifest, imageId: known ?? (await bakeImage(signed, options, region)) };
}

async function earlier(release: string) {
  const published = await publishedRelease(cloud, release);
  const imageId = await findImage(ec2, { deploymentId, arch, release });
  if (!imageId)
    throw new Error(
      `The ${arch} image of release ${release} was removed. Check the commit out and run npm run release.`,
    );
  return { ...published, imageId };
}

import {
  DeleteSnapshotCommand,
  DeregisterImageCommand,
  DescribeImagesCommand,
  type EC2Client,
  type Image,
} from '@aws-sdk/client-ec2';

interface ImageName {
  readonly deploymentId: string;
  readonly arch: 'amd64' | 'arm64';
  readonly release: string;
}

/** As the template of `ami/` names it. */
const imageName = ({ deploymentId, arch, release }: ImageName): string =>
  `${deploymentId}-node-${arch}-${release}`;

/** The id of the image of a release, if it was baked. */
export async function findImage(ec2: EC2Client, name: ImageName): Promise<string | undefined> {
  const images = await imagesOf(ec2, { Name: 'name', Values: [imageName(name)] });
  return images.find(({ State }) => State === 'available')?.ImageId;
}

/**
 * Removes a deployment's images and their disks, but for those that are kept. Gives the ids of the
 * removed.
 */
export async function removeImages(
  ec2: EC2Client,
  {
    deploymentId,
    keep,
  }: { readonly deploymentId: string; readonly keep: (newestFirst: readonly string[]) => readonly string[] },
): Promise<readonly string[]> {
  const images = (await imagesOf(ec2, { Name: 'tag:berth:stack', Values: [deploymentId] })).toSorted((a, b) =>
    (b.CreationDate ?? '').localeCompare(a.CreationDate ?? ''),
  );
  const kept = new Set(keep(images.flatMap(({ ImageId }) => ImageId ?? [])));
  const removed: string[] = [];
  for (const image of images) {
    if (!image.ImageId || kept.has(image.ImageId)) continue;
    await ec2.send(new DeregisterImageCommand({ ImageId: image.ImageId }));
    for (const SnapshotId of snapshotsOf(image)) await ec2.send(new DeleteSnapshotCommand({ SnapshotId }));
    removed.push(image.ImageId);
  }
  return removed;
}

async function imagesOf(
  ec2: EC2Client,
  filter: { readonly Name: string; readonly Values: string[] },
): Promise<readonly Image[]> {
  const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Owners: ['self'], Filters: [filter] }));
  return Images;
}

const snapshotsOf = ({ BlockDeviceMappings = [] }: Image): string[] =>
  BlockDeviceMappings.flatMap(({ Ebs }) => Ebs?.SnapshotId ?? []);

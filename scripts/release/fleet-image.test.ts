import type { EC2Client } from '@aws-sdk/client-ec2';
import { expect, it } from 'vitest';
import { bakedImageId } from './bake-image.js';
import { findImage, removeImages } from './fleet-image.js';

const image = (id: string, day: number, State = 'available') => ({
  ImageId: `ami-${id}`,
  State,
  CreationDate: `2026-01-0${day}T00:00:00.000Z`,
  BlockDeviceMappings: [{ Ebs: { SnapshotId: `snap-${id}` } }, { VirtualName: 'ephemeral0' }],
});

/** Played, and it keeps what it was asked for. */
function playedEc2(images: readonly object[]) {
  const calls: string[] = [];
  const send = async (command: { readonly input: Record<string, unknown> }) => {
    const { ImageId, SnapshotId, Filters } = command.input;
    calls.push(`${command.constructor.name} ${ImageId ?? SnapshotId ?? JSON.stringify(Filters)}`);
    return { Images: images };
  };
  return { calls, client: { send } as unknown as EC2Client };
}

it('finds the image of a release only once it can be launched', async () => {
  const name = { deploymentId: 'berth', arch: 'arm64', release: 'c0ffee' } as const;
  const pending = playedEc2([image('one', 1, 'pending')]);

  expect(await findImage(pending.client, name)).toBeUndefined();
  expect(await findImage(playedEc2([image('one', 1)]).client, name)).toBe('ami-one');
  expect(pending.calls[0]).toContain('berth-node-arm64-c0ffee');
});

it('removes old images with their disks and keeps the requested number of newest images', async () => {
  const { calls, client } = playedEc2([image('old', 1), image('new', 3), image('middle', 2)]);

  const removed = await removeImages(client, { deploymentId: 'berth', keep: (newest) => newest.slice(0, 2) });

  expect(removed).toEqual(['ami-old']);
  expect(calls.slice(1)).toEqual(['DeregisterImageCommand ami-old', 'DeleteSnapshotCommand snap-old']);
  expect(calls[0]).toContain('tag:berth:stack');
});

it('reads the image id from the output of Packer', () => {
  expect(bakedImageId({ builds: [{ artifact_id: 'us-east-1:ami-0123' }] })).toBe('ami-0123');
  expect(() => bakedImageId({ builds: [] })).toThrow();
  expect(() => bakedImageId({ builds: [{ artifact_id: 'us-east-1:' }] })).toThrow('Packer made no image');
});

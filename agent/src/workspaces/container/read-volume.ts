import { Readable } from 'node:stream';
import type { DockerEngine } from './docker-engine.js';
import { ignoringStatus } from './docker-errors.js';
import { workspacesMount } from './docker-names.js';

const emptyImage = 'svc-empty:1';
/** Two blocks of zeros: an empty tar archive. */
const emptyArchive = Buffer.alloc(1_024);

interface VolumeFolder {
  readonly volume: string;
  /** Folder of the volume, as a path in the workspace. */
  readonly from: string;
  readonly objectLabels: Readonly<Record<string, string>>;
}

/** Copies a folder of a volume to this machine. Returns false when the folder does not exist. */
export function readVolume(
  engine: DockerEngine,
  { to, ...folder }: VolumeFolder & { readonly to: string },
): Promise<boolean> {
  return withVolume(engine, folder, (name) => engine.fetchFolder(name, { from: folder.from, to }));
}

/** Whether the folder exists in the volume. */
export function hasFolder(engine: DockerEngine, folder: VolumeFolder): Promise<boolean> {
  return withVolume(engine, folder, (name) =>
    engine.docker.getContainer(name).infoArchive({ path: folder.from }),
  );
}

/**
 * Mounts the volume in a container of an empty image, which never runs; the workspace's own image
 * may be gone. Returns false when `work` finds no such folder.
 */
async function withVolume(
  engine: DockerEngine,
  { volume, objectLabels }: VolumeFolder,
  work: (container: string) => Promise<unknown>,
): Promise<boolean> {
  await ensureEmptyImage(engine);
  const name = `${volume}-read`;
  await engine.removeContainer(name);
  await engine.docker.createContainer({
    name,
    Image: emptyImage,
    Cmd: ['never-run'],
    Labels: { ...objectLabels },
    HostConfig: {
      NetworkMode: 'none',
      Mounts: [{ Type: 'volume', Source: volume, Target: workspacesMount, ReadOnly: true }],
    },
  });
  try {
    return (
      (await ignoringStatus(
        [404],
        work(name).then(() => true),
      )) ?? false
    );
  } finally {
    await engine.removeContainer(name);
  }
}

async function ensureEmptyImage({ docker }: DockerEngine): Promise<void> {
  if (await ignoringStatus([404], docker.getImage(emptyImage).inspect())) return;
  const [repo, tag] = emptyImage.split(':');
  const stream = await docker.importImage(Readable.from([emptyArchive]), { repo, tag });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()));
  });
}

import { Readable } from 'node:stream';
import { StreamLimit } from '../../streams/byte-budget.js';
import type { DockerEngine, FetchedFolder } from './docker-engine.js';
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

export interface CopiedFolder {
  /** The copy on this machine; null: there is none. */
  readonly repository: string | null;
  /** Why the folder was not copied. Undefined when it does not exist. */
  readonly refusal?: StreamLimit;
}

/** Copies a folder of a volume to this machine, unless it exceeds the limit or the free disk. */
export async function readVolume(
  engine: DockerEngine,
  { to, limitBytes, ...folder }: VolumeFolder & FetchedFolder,
): Promise<CopiedFolder> {
  const fetched = { from: folder.from, to, limitBytes };
  try {
    const isThere = await withVolume(engine, folder, (name) => engine.fetchFolder(name, fetched));
    return { repository: isThere ? to : null };
  } catch (error) {
    if (error instanceof StreamLimit) return { repository: null, refusal: error };
    throw error;
  }
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

import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';

/** What the engine says about its storage. */
const EngineStorage = z.object({
  Driver: z.string(),
  DriverStatus: z.catch(z.array(z.tuple([z.string(), z.string()])), []),
  DockerRootDir: z.catch(z.string(), '/var/lib/docker'),
});

const quotaOptions: ReadonlySet<string> = new Set(['prjquota', 'pquota']);

/**
 * Why the engine cannot limit the disk of containers and volumes; null: it can. It needs project
 * quotas, which overlay2 uses on xfs only.
 */
export async function diskQuotaObstacle(info: unknown, mountsFile: string): Promise<string | null> {
  const storage = EngineStorage.safeParse(info);
  if (!storage.success) return 'the engine does not report its storage';
  const { Driver, DriverStatus, DockerRootDir } = storage.data;
  const filesystem = new Map(DriverStatus).get('Backing Filesystem') ?? 'an unknown file system';
  if (Driver !== 'overlay2' || filesystem !== 'xfs')
    return `the engine stores files with ${Driver} on ${filesystem}, and only overlay2 on xfs has quotas`;
  const mounts = await readFile(mountsFile, 'utf8').catch(() => '');
  const options = mountOptions(mounts, DockerRootDir);
  if (options.some((option) => quotaOptions.has(option))) return null;
  return `the file system of ${DockerRootDir} is mounted without pquota`;
}

/** Options of the mount that has this folder. */
function mountOptions(mounts: string, folder: string): readonly string[] {
  const found = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, target = '', , options = '']) => (isBelow(folder, target) ? [{ target, options }] : []))
    .toSorted((a, b) => a.target.length - b.target.length);
  // A later mount of the same folder covers the earlier one.
  return found.at(-1)?.options.split(',') ?? [];
}

const isBelow = (folder: string, target: string): boolean =>
  target !== '' && (folder === target || folder.startsWith(target.endsWith('/') ? target : `${target}/`));

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const listening = '0A';

/** TCP ports on which this process listens. */
export function ownPorts(): readonly number[] {
  const inodes = new Set(readdirSync('/proc/self/fd').flatMap(socketOf));
  return ['tcp', 'tcp6'].flatMap((table) =>
    linesOf(`/proc/net/${table}`).flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const port = local.split(':').at(-1) ?? '';
      return state === listening && inodes.has(inode) ? [Number.parseInt(port, 16)] : [];
    }),
  );
}

function socketOf(descriptor: string): readonly string[] {
  try {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`)) ?? [];
    return inode === undefined ? [] : [inode];
  } catch {
    return []; // Closed since the folder was read.
  }
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(1);
  } catch {
    return [];
  }
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A TCP socket that waits for connections. */
export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
  /** Names the socket on this machine for as long as it lives. */
  readonly inode: string;
}

const listenState = '0A';

/** What listens in the network of a process, both families; throws when that network may not be looked at. */
export async function readListeningSockets(procFolder: string): Promise<ListeningSocket[]> {
  const ipv4 = await readFile(join(procFolder, 'net', 'tcp'), 'latin1');
  // A kernel without IPv6 has no such file.
  const ipv6 = await readFile(join(procFolder, 'net', 'tcp6'), 'latin1').catch(() => '');
  return [...parseTcpTable(ipv4), ...parseTcpTable(ipv6)];
}

/** Reads the kernel's table: a line a socket, its numbers in hexadecimal, addresses in words of the machine's order. */
export function parseTcpTable(text: string): ListeningSocket[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state !== listenState || !local || !inode) return [];
      const [address = '', port = ''] = local.split(':');
      return [{ address: addressOf(address), port: Number.parseInt(port, 16), inode }];
    });
}

/** Both families; IPv4 written as IPv6 becomes IPv4, for that is what it is reached by. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex').reverse()]);
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (isMapped) return bytes.slice(12).join('.');
  return shortened(bytes);
}

function shortened(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  // The address parser of the platform knows the rules for leaving out zeros.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

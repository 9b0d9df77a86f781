import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A listening TCP socket. */
export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
  /** Identifies the socket on this machine while it exists. */
  readonly inode: string;
}

const listenState = '0A';

/**
 * Listening sockets in the network of a process, IPv4 and IPv6. @throws when that network is not
 * readable
 */
export async function readListeningSockets(procFolder: string): Promise<ListeningSocket[]> {
  const ipv4 = await readFile(join(procFolder, 'net', 'tcp'), 'latin1');
  // A kernel without IPv6 has no such file.
  const ipv6 = await readFile(join(procFolder, 'net', 'tcp6'), 'latin1').catch(() => '');
  return [...parseTcpTable(ipv4), ...parseTcpTable(ipv6)];
}

/** Parses /proc/net/tcp: one line per socket, hexadecimal numbers, addresses in host byte order. */
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

/** Both families; an IPv4-mapped IPv6 address becomes IPv4. */
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
  // The URL parser shortens runs of zeros.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

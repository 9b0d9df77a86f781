import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { PartToRead } from '../files/files.js';

const pieceBytes = 128 * 1_024;

/**
 * Sends part of a file as the rest of a response; one that cannot be sent whole breaks the connection. It is read into the
 * same memory again and again: new memory for each piece would keep the collector busy.
 */
export async function pourFile(
  handle: FileHandle,
  { start, length, timeoutMs }: PartToRead,
  response: ServerResponse,
): Promise<void> {
  const piece = Buffer.allocUnsafeSlow(Math.min(length, pieceBytes));
  const tooLate = setTimeout(() => response.destroy(), timeoutMs);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const end = start + length;
  try {
    for (let at = start; at < end && !response.destroyed; ) {
      const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, end - at), at);
      if (bytesRead === 0) throw new Error('The file became shorter while it was read');
      await Promise.race([taken(response, piece.subarray(0, bytesRead)), closed]);
      at += bytesRead;
    }
    response.end();
  } catch {
    response.destroy();
  } finally {
    clearTimeout(tooLate);
  }
}

/** Once the network has it, the memory may be used for something else. */
function taken(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { PartToRead } from '../files/files.js';

const pieceBytes = 256 * 1_024;

/**
 * Sends part of a file as the rest of a response, and breaks the connection when that fails. Reads
 * the next piece while one is sent, always into the same two buffers: new buffers would cause
 * garbage collections.
 */
export async function streamFile(
  handle: FileHandle,
  { start, length, timeoutMs }: PartToRead,
  response: ServerResponse,
): Promise<void> {
  const size = Math.min(length, pieceBytes);
  const end = start + length;
  let [next, used] = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)];
  const read = async (at: number) => {
    const piece = next;
    [next, used] = [used, next];
    const { bytesRead } = await handle.read(piece, 0, Math.min(size, end - at), at);
    if (bytesRead === 0) throw new Error('The file became shorter during the read');
    return piece.subarray(0, bytesRead);
  };
  const tooLate = setTimeout(() => response.destroy(), timeoutMs);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  try {
    let at = start;
    let coming = read(at);
    while (at < end && !response.destroyed) {
      const piece = await coming;
      at += piece.length;
      if (at < end) coming = read(at);
      // Nothing awaits this read when the client disconnects.
      coming.catch(() => undefined);
      await Promise.race([taken(response, piece), closed]);
    }
    response.end();
  } catch {
    response.destroy();
  } finally {
    clearTimeout(tooLate);
  }
}

/** Resolves when the buffer may be used again. */
function taken(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const maxBytes = 16 * 1_024 * 1_024;

/** The last bytes of a file. */
export async function tailOf(path: string): Promise<Readable> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return file.createReadStream({ start: Math.max(0, size - maxBytes) });
  } catch (error) {
    await file.close();
    throw error;
  }
}

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Whatever can write a consistent copy of itself to a new file. */
export interface CopiedDatabase {
  copyTo(path: string): void;
}

/** A consistent copy of the database, read from a file that is already unlinked. */
export async function exportedDatabase(
  database: CopiedDatabase,
): Promise<{ readonly stream: Readable; readonly size: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  try {
    const path = join(folder, 'copy.db');
    database.copyTo(path);
    const { size } = await stat(path);
    const stream = createReadStream(path);
    await once(stream, 'open');
    return { stream, size };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

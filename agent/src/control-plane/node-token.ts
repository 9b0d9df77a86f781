import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../files/local-disk.js';
import { jwtTimes } from './jwt-times.js';

/** The node's callback token, stored in a file that only root can read. */
export class NodeToken {
  private token: string | null = null;

  constructor(
    private readonly file: string,
    private readonly legacyToken: string | null,
  ) {}

  /** Returns whether a valid token was found. */
  async load(now: Date): Promise<boolean> {
    const saved = (await readIfThere(this.file))?.trim() || this.legacyToken;
    const times = saved ? jwtTimes(saved) : null;
    if (saved && times && times.expiresAt <= now.getTime()) return false;
    this.token = saved;
    return saved !== null;
  }

  /**
   * Stores the token before using it, so that it survives a crash. Uses it even when storing fails.
   */
  async replace(token: string): Promise<void> {
    try {
      await writeFileAtomic(this.file, `${token}\n`);
    } finally {
      this.token = token;
    }
  }

  get value(): string {
    if (this.token === null) throw new Error('This node has no callback token yet');
    return this.token;
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

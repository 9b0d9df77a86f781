import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files with a secret text, one in each folder that the agent can write to. */
export class Canaries {
  readonly secret = `canary-${randomUUID()}`;
  private before: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly folders: readonly string[],
    /** Folders of the machine that are compared too, and get no canary. */
    private readonly watched: readonly string[],
    /** Paths below the folders that the agent itself changes. */
    private readonly changing: RegExp,
  ) {}

  plant(): void {
    for (const folder of this.folders) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'canary'), `${this.secret}\n`, { mode: 0o600 });
    }
    this.before = this.look();
  }

  /** Files that appeared, changed or disappeared since the canaries were planted. */
  changes(): string[] {
    const now = this.look();
    const paths = new Set([...this.before.keys(), ...now.keys()]);
    return [...paths].filter((path) => this.before.get(path) !== now.get(path));
  }

  private look(): ReadonlyMap<string, string> {
    const seen = new Map<string, string>();
    for (const folder of [...this.folders, ...this.watched]) this.walk(folder, seen);
    return seen;
  }

  private walk(path: string, seen: Map<string, string>): void {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || this.changing.test(path)) return;
    const { mode, uid, gid, size } = found;
    if (found.isDirectory()) {
      seen.set(path, `${mode} ${uid} ${gid}`);
      for (const name of readdirSync(path)) this.walk(join(path, name), seen);
      return;
    }
    const content = found.isSymbolicLink() ? readlinkSync(path) : found.isFile() ? hashOf(path) : '';
    seen.set(path, `${mode} ${uid} ${gid} ${size} ${content}`);
  }
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { identify, isAlive, type ProcessIdentity } from './process-identity.mjs';

const Entry = z.object({ pid: z.int(), born: z.string() });

/** As long as an emulator may need to save what it has. */
const endGraceMs = 15_000;

/**
 * The processes of this run, one file each, so that the next run can end what a killed run left
 * behind. A stranger who was given the same id since is recognised by its time of birth and left
 * alone.
 */
export class RunLedger {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  record(name: string, pid: number): void {
    const identity = identify(pid);
    if (!identity) return;
    const file = this.file(name);
    writeFileSync(`${file}.new`, JSON.stringify(identity));
    renameSync(`${file}.new`, file);
  }

  forget(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  /** The process recorded under this name, if it still runs. */
  running(name: string): ProcessIdentity | undefined {
    const identity = this.read(`${name}.json`);
    return identity && isAlive(identity) ? identity : undefined;
  }

  /**
   * Ends every recorded process that still runs but this one, and forgets them. @returns the names
   * of those ended.
   */
  async endOrphans(): Promise<string[]> {
    const names = readdirSync(this.folder)
      .filter((file) => file.endsWith('.json'))
      .filter((file) => this.read(file)?.pid !== process.pid);
    const orphans = names.flatMap((file) => {
      const identity = this.read(file);
      return identity && isAlive(identity) ? [{ name: file.replace(/\.json$/, ''), identity }] : [];
    });
    await Promise.all(orphans.map(({ identity }) => end(identity)));
    for (const file of names) rmSync(join(this.folder, file), { force: true });
    return orphans.map(({ name }) => name);
  }

  private read(file: string): ProcessIdentity | undefined {
    try {
      return Entry.parse(JSON.parse(readFileSync(join(this.folder, file), 'utf8')));
    } catch {
      return undefined; // Half-written by a killed run, or never there: nothing is known of that process.
    }
  }

  private file(name: string): string {
    return join(this.folder, `${name}.json`);
  }
}

async function end(identity: ProcessIdentity): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    try {
      process.kill(identity.pid, signal);
    } catch {
      return;
    }
    for (let waited = 0; waited < endGraceMs && isAlive(identity); waited += 50) await delay(50);
    if (!isAlive(identity)) return;
  }
}

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type * as z from 'zod/mini';
import { type JournalEntry, readJournal } from './journal.js';
import type { HarnessScript } from './script.js';

type Behaviour = Partial<Omit<z.input<typeof HarnessScript>, 'journal' | 'sessions' | 'gates'>>;

const root = fileURLToPath(new URL('../../..', import.meta.url));
let bundled: Promise<string> | null = null;

/** One bundled file, which Node 24 also runs in a container. */
function bundleAcpHarness(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const outfile = join(root, '.cache/acp-harness/main.mjs');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'warning',
  });
  // Several test processes bundle at once: rename, so that each finds a whole file.
  const own = `${outfile}.${randomUUID()}`;
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(own, outputFiles[0]?.contents ?? '');
  renameSync(own, outfile);
  return outfile;
}

/**
 * A real ACP process on the official SDK, controlled by its script and the directives of its
 * prompts (see turn.ts). Its journal and its sessions outlive it.
 */
export class AcpHarness {
  private behaviour: Behaviour = {};

  private constructor(
    private readonly folder: string,
    private readonly bundle: string,
    private readonly sessions: string,
  ) {}

  /** `sessions`: folder of its sessions, such as a home that is moved to another node. */
  static async make(
    folder: string,
    behaviour: Behaviour = {},
    sessions = join(folder, 'sessions'),
  ): Promise<AcpHarness> {
    const harness = new AcpHarness(folder, await bundleAcpHarness(), sessions);
    mkdirSync(join(folder, 'gates'), { recursive: true });
    harness.behave(behaviour);
    return harness;
  }

  /** Command line, for ACP_COMMAND_OVERRIDES or a direct start. */
  get command(): readonly [string, ...string[]] {
    return [process.execPath, this.bundle, join(this.folder, 'script.json')];
  }

  get journalPath(): string {
    return join(this.folder, 'journal.jsonl');
  }

  /** Changes its script from the next request on. */
  behave(change: Behaviour): void {
    this.behaviour = { ...this.behaviour, ...change };
    const script: z.input<typeof HarnessScript> = {
      ...this.behaviour,
      journal: this.journalPath,
      sessions: this.sessions,
      gates: join(this.folder, 'gates'),
    };
    const path = join(this.folder, 'script.json');
    writeFileSync(`${path}.new`, JSON.stringify(script));
    renameSync(`${path}.new`, path);
  }

  /** Releases turns that wait for this gate. */
  openGate(name: string): void {
    writeFileSync(join(this.folder, 'gates', name), '');
  }

  closeGate(name: string): void {
    rmSync(join(this.folder, 'gates', name), { force: true });
  }

  /** Its invocations in order. */
  journal(event?: JournalEntry['event']): JournalEntry[] {
    const all = readJournal(this.journalPath);
    return event ? all.filter((entry) => entry.event === event) : all;
  }

  /** Deletes a session, like a harness whose files are lost. */
  forget(sessionId: string): void {
    rmSync(join(this.folder, 'sessions', `${sessionId}.jsonl`), { force: true });
  }

  /** The conversation in the files of the harness. */
  transcript(sessionId: string): string {
    return readFileSync(join(this.folder, 'sessions', `${sessionId}.jsonl`), 'utf8');
  }
}

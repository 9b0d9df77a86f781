import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { type SnapshotArtifactName, SnapshotManifest } from '../../../protocol/snapshots.js';
import type { ObjectStore } from '../../integration/snapshots/object-store.js';

export type Sections = Readonly<Record<string, Buffer>>;

export interface Crafted {
  /** Contents before compression, by name. They replace those of an honest snapshot. */
  readonly sections?: Sections;
  /** The stored object in place of the sections. */
  readonly objects?: Partial<Record<SnapshotArtifactName, Buffer>>;
  readonly change?: (manifest: SnapshotManifest) => SnapshotManifest;
}

const none = Buffer.alloc(0);
const names = ['pack', 'refs', 'remotes', 'settings', 'meta', 'tree/0/gone', 'tree/0/files'];
const emptySections: Sections = Object.fromEntries(
  ['home/home', 'home/home/settings', ...names.map((name) => `work/0/${name}`)].map((name) => [name, none]),
);
const artifactOf = (name: string): SnapshotArtifactName => (name.startsWith('home/') ? 'home' : 'wip');
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Stores a snapshot that no capture made. Its checkout is at `head`. */
export async function craft(store: ObjectStore, head: string, crafted: Crafted): Promise<SnapshotManifest> {
  const refs = Buffer.from(`${head} refs/heads/main\n`);
  const contents = { ...emptySections, 'work/0/refs': refs, ...crafted.sections };
  const objects = { home: none, wip: none };
  const sections = Object.entries(contents).map(([name, content]) => {
    const artifact = artifactOf(name);
    const stored = content.length > 0 ? zstdCompressSync(content) : none;
    const offset = objects[artifact].length;
    objects[artifact] = Buffer.concat([objects[artifact], stored]);
    return { name, artifact, offset, sizeBytes: stored.length, sha256: sha256(stored) };
  });
  for (const artifact of ['home', 'wip'] as const) {
    const body = crafted.objects?.[artifact] ?? objects[artifact];
    await fetch(store.url(artifact), { method: 'PUT', body: new Uint8Array(body) });
  }
  const stored = (object: Buffer) => ({ sizeBytes: object.length, sha256: sha256(object) });
  const tree = { path: 'repo', worktree: null, head, statusSha256: null };
  const manifest: SnapshotManifest = {
    ...{ version: 1, chatSessionId: 'chat-1', workspaceId: '01K0000000000000000000000W' },
    ...{ agentSessionId: 'session-1', createdAt: new Date().toISOString(), sessions: [], terminals: [] },
    ...{ status: 'available', degradation: 'none', skipped: [], skippedCount: 0, baseCommit: head },
    artifacts: { home: stored(objects.home), wip: stored(objects.wip) },
    sections,
    repositories: [{ path: '.', trees: [tree] }],
    home: { entries: 1, roots: ['home'] },
  };
  return SnapshotManifest.parse(crafted.change?.(manifest) ?? manifest);
}

export type Entry = Partial<Headers> & { readonly name: string; readonly text?: string | Buffer };

/** A tar whose entries belong to root, also with entries that no capture packs. */
export function tarOf(...entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { text = '', ...header } of entries)
    archive.entry({ type: 'file', uid: 0, gid: 0, ...header }, text);
  archive.finalize();
  return buffer(archive);
}

/** A tar of one entry that is repeated. */
export async function endlessTar(entries: number): Promise<Buffer> {
  const header = (await tarOf({ name: './again' })).subarray(0, 512);
  return Buffer.alloc(entries * 512, header);
}

/** A tar of a file that has this size, and no content. */
export function sparseTar(name: string, sizeBytes: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sparse-'));
  writeFileSync(join(folder, name), '');
  truncateSync(join(folder, name), sizeBytes);
  const packed = execFileSync('tar', ['-C', folder, '--sparse', '-cf', '-', name]);
  rmSync(folder, { recursive: true });
  return packed;
}

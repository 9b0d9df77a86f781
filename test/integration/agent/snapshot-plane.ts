import { randomUUID } from 'node:crypto';
import type { CompleteSnapshot, RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import { defaultSnapshotLimits, type SnapshotManifest } from '../../../protocol/snapshots.js';
import type { ObjectStore } from '../snapshots/object-store.js';
import type { FakeControlPlane } from './fake-control-plane.js';

type Body = Record<string, unknown>;

const stale = { status: 409, body: { error: 'STALE_OPERATION', message: 'Another capture has begun.' } };

const config = {
  totalBudgetBytes: defaultSnapshotLimits.totalBytes,
  entryThresholdBytes: defaultSnapshotLimits.entryBytes,
  maxEntries: defaultSnapshotLimits.entries,
  transferIdleTimeoutMs: 30_000,
};

/** The snapshot callbacks of a control plane, for one workspace at a time. */
export class SnapshotPlane {
  /** Refuses what does not belong to it; null: every operation. */
  operationId: string | null = null;
  /** What the last complete capture reported. */
  manifest: SnapshotManifest | null = null;
  private generation = 0;

  constructor(
    private readonly fake: FakeControlPlane,
    private readonly store: ObjectStore,
  ) {
    const { handlers } = fake;
    handlers.set('prepare', async (body) => this.prepare(body));
    handlers.set('progress', async (body) => this.unlessStale(body, { status: 204, body: null }));
    handlers.set('upload-url', async (body) => this.uploadUrl(body));
    handlers.set('complete', async (body) => this.complete(body as unknown as CompleteSnapshot));
    handlers.set('failure', async () => ({ status: 204, body: null }));
    handlers.set('restore', async () => ({ status: 200, body: this.plan() }));
    handlers.set('restore-result', async () => ({ status: 204, body: null }));
  }

  newOperation(): string {
    return `operation-${randomUUID()}`;
  }

  results(operationId: string): RestoreResult[] {
    return this.bodies('restore-result', operationId) as unknown as RestoreResult[];
  }

  failures(operationId: string): Body[] {
    return this.bodies('failure', operationId);
  }

  completions(operationId: string): Body[] {
    return this.bodies('complete', operationId);
  }

  steps(operationId: string): unknown[] {
    return this.bodies('progress', operationId).map(({ step }) => step);
  }

  private bodies(end: string, operationId: string): Body[] {
    const calls = this.fake.callsTo(`session-snapshot/${end}`);
    return calls.map(({ body }) => body).filter((body) => body.operationId === operationId);
  }

  private prepare(body: Body) {
    this.generation += 1;
    const upload = (artifact: string) =>
      `${this.fake.callsTo('session-snapshot/prepare').at(-1)?.path.replace('/prepare', '')}/artifacts/${artifact}/upload-url`;
    return this.unlessStale(body, {
      status: 200,
      body: {
        snapshotId: 'snapshot-1',
        generation: this.generation,
        expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
        config,
        directUpload: { home: upload('home'), wip: upload('wip') },
      },
    });
  }

  private uploadUrl({ generation }: Body) {
    if (generation !== this.generation) return stale;
    const path = this.fake.callsTo('upload-url').at(-1)?.path ?? '';
    const artifact = path.split('/').at(-2) ?? '';
    return { status: 200, body: { uploadUrl: this.store.url(artifact), headers: { 'x-checked': 'yes' } } };
  }

  private complete({ generation, manifest }: CompleteSnapshot) {
    if (generation !== this.generation) return stale;
    this.manifest = manifest;
    const { status, degradation } = manifest;
    return { status: 200, body: { status, degradation } };
  }

  private plan() {
    const { manifest, store } = this;
    if (!manifest) return { available: false, reason: 'snapshot_missing_or_unavailable' };
    return {
      available: true,
      snapshotId: 'snapshot-1',
      status: manifest.status,
      degradation: manifest.degradation,
      manifest,
      config,
      download: { home: store.url('home'), wip: store.url('wip') },
    };
  }

  private unlessStale(body: Body, answer: { status: number; body: unknown }) {
    return this.operationId === null || body.operationId === this.operationId ? answer : stale;
  }
}

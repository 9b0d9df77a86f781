import { rm } from 'node:fs/promises';
import type { SnapshotArtifactName, SnapshotSection } from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import { ArchiveWriter } from './archive.js';
import { reasonOf } from './restore-repositories.js';
import type { SnapshotBudget } from './snapshot-budget.js';

/** Files may change during the capture, which is then repeated. */
const maxAttempts = 3;

/** One object of a snapshot, in a file. */
export interface CapturedPart<Content> {
  readonly path: string;
  readonly object: { readonly sizeBytes: number; readonly sha256: string };
  readonly sections: readonly SnapshotSection[];
  readonly content: Content;
  /** What the limits leave for the next part. */
  readonly budget: SnapshotBudget;
}

interface PartCapture<Content> {
  readonly artifact: SnapshotArtifactName;
  readonly path: string;
  readonly budget: SnapshotBudget;
  readonly capture: (archive: ArchiveWriter, budget: SnapshotBudget) => Promise<Content>;
  readonly onFailure: (attempt: number, error: unknown) => void;
}

/** @throws AgentError when no attempt succeeds */
export async function capturePart<Content>(part: PartCapture<Content>): Promise<CapturedPart<Content>> {
  let failure: unknown;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const captured = await captureOnce(part).catch((error: unknown) => {
      failure = error;
      part.onFailure(attempt, error);
    });
    if (captured) return captured;
    await rm(part.path, { force: true });
  }
  throw new AgentError('snapshot_failed', `Workspace could not be captured: ${reasonOf(failure)}`);
}

async function captureOnce<Content>(part: PartCapture<Content>): Promise<CapturedPart<Content>> {
  const { artifact, path, capture } = part;
  const budget = part.budget.copy();
  await using archive = await ArchiveWriter.create(artifact, path);
  const content = await capture(archive, budget);
  return { path, object: archive.finish(), sections: archive.sections, content, budget };
}

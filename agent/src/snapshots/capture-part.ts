import { rm } from 'node:fs/promises';
import type { SnapshotArtifactName, SnapshotSection } from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import { StreamLimit } from '../streams/byte-budget.js';
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

interface PartCapture<Content, Use> {
  readonly artifact: SnapshotArtifactName;
  readonly path: string;
  readonly budget: SnapshotBudget;
  readonly capture: (archive: ArchiveWriter, budget: SnapshotBudget) => Promise<Content>;
  /** Throws when the content is not what the workspace holds. */
  readonly check?: (content: Content) => Promise<void>;
  /** Such as the upload. Runs during the check. Its failure is no reason to capture again. */
  readonly use: (captured: CapturedPart<Content>) => Promise<Use>;
  readonly onFailure: (attempt: number, error: unknown) => void;
}

interface UsedPart<Content, Use> {
  readonly captured: CapturedPart<Content>;
  readonly use: Use;
}

/**
 * @throws StreamLimit when the content is too large, AgentError when no attempt succeeds, and the
 * error of the use
 */
export async function capturePart<Content, Use>(
  part: PartCapture<Content, Use>,
): Promise<UsedPart<Content, Use>> {
  let failure: unknown;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const attempted = await captureOnce(part).catch((error: unknown) => {
      failure = error;
      part.onFailure(attempt, error);
    });
    if (attempted) return { captured: attempted.captured, use: await attempted.use };
    if (failure instanceof StreamLimit) throw failure;
  }
  throw new AgentError('snapshot_failed', `Workspace could not be captured: ${reasonOf(failure)}`);
}

async function captureOnce<Content, Use>(part: PartCapture<Content, Use>) {
  const captured = await writeObject(part);
  const use = part.use(captured);
  const ended = use.catch(() => undefined);
  try {
    await part.check?.(captured.content);
  } catch (error) {
    // Two uploads at a time could leave either object in the store.
    await ended;
    throw error;
  }
  return { captured, use };
}

async function writeObject<Content>(
  part: Pick<PartCapture<Content, unknown>, 'artifact' | 'path' | 'budget' | 'capture'>,
): Promise<CapturedPart<Content>> {
  const { artifact, path, capture } = part;
  const budget = part.budget.copy();
  await rm(path, { force: true });
  await using archive = await ArchiveWriter.create({ artifact, path, limitBytes: budget.totalBytes });
  const content = await capture(archive, budget);
  return { path, object: archive.finish(), sections: archive.sections, content, budget };
}

import type { SnapshotManifest } from '../../../protocol/snapshots.js';
import { Conflict, DomainError, InvalidRequest } from '../../shared/errors.js';
import type { WorkspaceStatus } from '../workspaces/workspace-status.js';
import { incompleteSnapshot } from './incomplete-snapshot.js';

const conflict = (code: string, message: string) => new Conflict(message, { code });

export const sleepNotInState = (status: WorkspaceStatus) =>
  conflict(
    'WORKSPACE_NOT_IN_STATE',
    `Workspace is ${status}. Only a running workspace can sleep, and not while it is deleted or wakes.`,
  );

export const workspaceHasNoChat = () =>
  conflict(
    'WORKSPACE_HAS_NO_CHAT',
    'Workspace has no active chat session with an agent, so nothing can wake it. Stop it instead.',
  );

export const workspaceBusy = () =>
  conflict('WORKSPACE_BUSY', 'An agent of the workspace works, or a message waits for it. Try again later.');

/** Its node captures it to stop it. */
export const workspaceEvicting = () =>
  conflict('WORKSPACE_BUSY', 'The node of the workspace is short of memory and evicts it. Try again later.');

/** An automatic sleep failed a short time ago. */
export const sleepRetryLater = (at: Date) =>
  conflict('SLEEP_RETRY_LATER', `The last sleep failed. The next one can start at ${at.toISOString()}.`);

/** The automatic sleeps failed too often: the workspace keeps running. */
export const sleepBlocked = () =>
  conflict(
    'SLEEP_BLOCKED',
    'Automatic sleeps failed too often. A message or a sleep by a person tries again.',
  );

/** The call belongs to a capture or restore that ended, or that another one replaced. */
export const staleOperation = () =>
  conflict('STALE', 'The operation has ended, or another one has replaced it. Do not repeat the call.');

export const snapshotTooLarge = (limit: number) =>
  new DomainError('too_large', `The objects of a snapshot have at most ${limit} bytes in total.`, {
    code: 'PAYLOAD_TOO_LARGE',
  });

export const manifestRefused = (field: string, message: string) =>
  new InvalidRequest('The manifest does not fit the capture.', [{ field: `manifest.${field}`, message }]);

/** The claim has ended: a prompt, a stop or a deletion came first. No failure is counted. */
export class SleepCancelled extends Conflict {
  override readonly name = 'SleepCancelled';

  constructor(reason = 'A message, a stop or a deletion came first.') {
    super(reason);
  }
}

/** The stored objects differ from the manifest, or are missing. */
export class SnapshotNotVerified extends Conflict {
  override readonly name = 'SnapshotNotVerified';
}

/** The snapshot is verified and lacks parts. */
export class SnapshotDegraded extends Conflict {
  override readonly name = 'SnapshotDegraded';

  constructor(manifest: SnapshotManifest) {
    super(incompleteSnapshot(manifest));
  }
}

export class CaptureRefused extends Conflict {
  override readonly name = 'CaptureRefused';
}

/** An earlier run of the step Capture has the result. */
export class AlreadyCaptured extends Conflict {
  override readonly name = 'AlreadyCaptured';

  constructor() {
    super('The capture is complete.');
  }
}

/** `reason` is a sentence for a person. */
export const sleepFailed = (reason: string) => conflict('SLEEP_FAILED', `Workspace keeps running. ${reason}`);

/** The step has its result: the workspace runs. */
export class AlreadyRestored extends Error {
  override readonly name = 'AlreadyRestored';
}

export class SnapshotMissing extends Error {
  override readonly name = 'SnapshotMissing';

  constructor() {
    super('The snapshot of the workspace is missing');
  }
}

/** The node could not restore the snapshot; another attempt may. */
export const restoreFailed = 'RestoreFailed';

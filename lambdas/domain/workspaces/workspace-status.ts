/**
 * States of a workspace and the transitions between them; docs/workspaces.md has the same table.
 * Every write of a status takes its condition from here.
 */
export const workspaceStatuses = [
  'pending',
  'provisioning',
  'running',
  'recovering',
  'stopping',
  'stopped',
  'sleeping',
  'rebuilding',
  'evicted',
  'errored',
  'deleted',
] as const;
export type WorkspaceStatus = (typeof workspaceStatuses)[number];

const moves = {
  place: { from: ['pending'], to: ['provisioning'] },
  /** The launch of its node failed before anything was sent to it: it is placed again. */
  unplace: { from: ['provisioning'], to: ['pending'] },
  ready: { from: ['provisioning', 'rebuilding'], to: ['running', 'recovering'] },
  /** The next generation. */
  restart: { from: ['stopped', 'errored'], to: ['pending'] },
  /** The node makes the container again, in the same generation. */
  rebuild: { from: ['running', 'recovering'], to: ['rebuilding'] },
  notRebuilt: { from: ['rebuilding'], to: ['running', 'recovering'] },
  /** The node restarted it, with or without the dev container of its repository. */
  restartedByNode: { from: ['running', 'recovering'], to: ['running', 'recovering'] },
  fail: { from: ['pending', 'provisioning'], to: ['errored'] },
  /** Its instance ended, or the node cannot restart it. */
  lose: { from: ['provisioning', 'running', 'recovering', 'rebuilding'], to: ['errored'] },
  /** Its snapshot is verified, and no prompt came since the capture. */
  sleep: { from: ['running', 'recovering'], to: ['sleeping'] },
  /** The node did not stop it: something changed since the capture. */
  notAsleep: { from: ['sleeping'], to: ['running', 'recovering'] },
  /** Its node has captured and stopped it: the verified snapshot is what remains. */
  evict: { from: ['running', 'recovering'], to: ['evicted'] },
  /** The next generation, which restores the snapshot. */
  wake: { from: ['sleeping', 'evicted'], to: ['pending'] },
  /** The snapshot stays, for the next attempt. */
  notWoken: { from: ['pending', 'provisioning', 'running', 'recovering'], to: ['sleeping', 'evicted'] },
  stop: {
    from: ['pending', 'provisioning', 'running', 'recovering', 'rebuilding', 'sleeping', 'evicted'],
    to: ['stopping'],
  },
  stopped: { from: ['stopping'], to: ['stopped'] },
  claimDeletion: {
    from: [
      'pending',
      'provisioning',
      'running',
      'recovering',
      'stopping',
      'stopped',
      'sleeping',
      'rebuilding',
      'evicted',
      'errored',
    ],
    to: ['stopping'],
  },
  confirmDeletion: { from: ['stopping'], to: ['deleted'] },
} as const satisfies Record<
  string,
  { readonly from: readonly WorkspaceStatus[]; readonly to: readonly WorkspaceStatus[] }
>;

export type WorkspaceMove = keyof typeof moves;
export const workspaceMoves = Object.keys(moves) as readonly WorkspaceMove[];

/** A move with one of its target statuses. */
export type WorkspaceTransition = {
  readonly [Move in WorkspaceMove]: { readonly move: Move; readonly to: (typeof moves)[Move]['to'][number] };
}[WorkspaceMove];

/** The statuses from which a move is allowed. */
export const sourcesOf = (move: WorkspaceMove): readonly WorkspaceStatus[] => moves[move].from;
export const targetsOf = (move: WorkspaceMove): readonly WorkspaceStatus[] => moves[move].to;

export const canMove = (status: WorkspaceStatus, move: WorkspaceMove): boolean =>
  sourcesOf(move).includes(status);

/** A terminal can be opened. */
export const isUsable = (status: WorkspaceStatus): boolean => status === 'running' || status === 'recovering';

/** Its verified snapshot is what remains of it; a message or a restart restores it. */
export const hasOnlySnapshot = (status: WorkspaceStatus): boolean =>
  status === 'sleeping' || status === 'evicted';

/**
 * It ended or is ending, and does not start unless somebody restarts it. While `stopping`, its
 * container may still run.
 */
export const isResting = (status: WorkspaceStatus): boolean =>
  ['stopping', 'stopped', 'sleeping', 'evicted', 'errored', 'deleted'].includes(status);

/** A saga works on it, or has to be started by the sweep. */
export const isPendingReconcile = (status: WorkspaceStatus): boolean =>
  status === 'pending' || status === 'provisioning' || status === 'rebuilding' || status === 'stopping';

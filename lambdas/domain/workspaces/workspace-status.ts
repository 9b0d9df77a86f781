/**
 * The states of a workspace and the moves between them; docs/workspaces.md is the table for people. Every write that
 * moves a workspace takes its condition from here.
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
  ready: { from: ['provisioning', 'rebuilding'], to: ['running', 'recovering'] },
  /** Another life begins. */
  restart: { from: ['stopped', 'errored'], to: ['pending'] },
  /** The node makes it anew, in the same life. */
  rebuild: { from: ['running', 'recovering'], to: ['rebuilding'] },
  notRebuilt: { from: ['rebuilding'], to: ['running', 'recovering'] },
  /** The node has made it again, and it has become, or is no longer, what its repository wants. */
  remade: { from: ['running', 'recovering'], to: ['running', 'recovering'] },
  fail: { from: ['pending', 'provisioning'], to: ['errored'] },
  /** The machine under it has ended, or cannot bring it back. */
  lose: { from: ['provisioning', 'running', 'recovering', 'rebuilding'], to: ['errored'] },
  stop: { from: ['pending', 'provisioning', 'running', 'recovering', 'rebuilding'], to: ['stopping'] },
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

/** The statuses in which a move may begin. */
export const sourcesOf = (move: WorkspaceMove): readonly WorkspaceStatus[] => moves[move].from;
export const targetsOf = (move: WorkspaceMove): readonly WorkspaceStatus[] => moves[move].to;

export const canMove = (status: WorkspaceStatus, move: WorkspaceMove): boolean =>
  sourcesOf(move).includes(status);

/** A terminal can be opened. */
export const isUsable = (status: WorkspaceStatus): boolean => status === 'running' || status === 'recovering';

/** Nothing of it runs, and nothing is about to. */
export const isResting = (status: WorkspaceStatus): boolean =>
  ['stopping', 'stopped', 'sleeping', 'evicted', 'errored', 'deleted'].includes(status);

/** A saga works on it or should: the sweep looks after it. */
export const isUnsettled = (status: WorkspaceStatus): boolean =>
  status === 'pending' || status === 'provisioning' || status === 'rebuilding' || status === 'stopping';

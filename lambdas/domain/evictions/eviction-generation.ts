import type { Workspace } from '../workspaces/workspace.js';

/**
 * Whether an eviction is of the container that its workspace has. A rebuild that its node did not
 * answer may have begun the generation that was sent last.
 */
export const isOfPresent = (
  { evictionGeneration, sentEviction }: Pick<Workspace, 'evictionGeneration' | 'sentEviction'>,
  named: string | undefined,
): boolean =>
  named === evictionGeneration || (named !== undefined && named === sentEviction?.evictionGeneration);

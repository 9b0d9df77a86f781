import type { Write } from '../records/transact.js';
import { memberKey, whileMay } from './member.js';

/** Part of a transaction that begins something in a workspace: whose it is must be able to work in its project then. */
export const memberCheck = ({
  projectId,
  userId,
}: {
  readonly projectId: string | null;
  readonly userId: string;
}): readonly Write[] =>
  projectId === null ? [] : [{ check: memberKey(projectId, userId), when: whileMay('workspace:write') }];

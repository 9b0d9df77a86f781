import type { Table } from '../../shared/table.js';
import { type Member, memberKey } from '../projects/member.js';
import { projectKey } from '../projects/project.js';
import { transact } from '../records/transact.js';
import { lastOwner, memberChanged } from './errors.js';
import { actorMayStill, nextVersion } from './member-writes.js';

export interface Removal {
  /** Who wants it; the member themselves when they leave. */
  readonly actor: Member;
  readonly target: Member;
  readonly now: Date;
}

/**
 * Ends a membership. From this write on the member has no right in the project; the stream of the table sees to what they
 * still have open. The row stays, so that no older invitation lets them in again. A repeat changes nothing. One table call.
 *
 * @throws {lastOwner | memberChanged}
 */
export async function removeMember(table: Table, { actor, target, now }: Removal): Promise<void> {
  if (target.status === 'removed') return;
  if (target.role === 'owner') throw lastOwner();
  const { projectId, userId, role } = target;
  const outcome = await transact(table, [
    {
      update: {
        key: memberKey(projectId, userId),
        set: { status: 'removed', removedAt: now.toISOString(), version: nextVersion(target) },
        remove: ['personalCredentialsAllowedAt'],
        when: { equals: { status: target.status, role } },
      },
    },
    { update: { key: projectKey(projectId), add: { memberCount: -1 }, when: { exists: true } } },
    ...actorMayStill(actor, target),
  ]);
  if (!outcome.committed) throw memberChanged();
}

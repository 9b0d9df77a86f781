import type { Table } from '../../shared/table.js';
import { admitEvent } from '../project-events/admit-event.js';
import { newEvent } from '../project-events/project-event.js';
import { limitEventOf } from './limit-event.js';
import { CredentialUsage } from './usage-row.js';

/**
 * Records the event of figures that changed the level of a credential, in each project that uses
 * it. It is made from the stream, so a failure is repeated. Repeatable. No table call for other
 * changes, else one for each project, and two for a repeat.
 */
export async function followLimit(
  table: Table,
  after: Readonly<Record<string, unknown>> | undefined,
  now: Date,
): Promise<void> {
  if (after?.entity !== 'credential-usage') return;
  const found = limitEventOf(CredentialUsage.parse(after));
  if (!found) return;
  const { projectIds, onlyForUserId, content } = found;
  for (const projectId of projectIds)
    await admitEvent(table, { ...newEvent(projectId, content, now), onlyForUserId }, now);
}

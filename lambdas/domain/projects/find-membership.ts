import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Capability } from '../../routes.js';
import { NotFound, Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { CapabilityMissing } from './errors.js';
import { capabilitiesOf, Member, memberKey } from './member.js';
import { Project, projectKey } from './project.js';

export interface Membership {
  readonly project: Project;
  readonly member: Member;
}

/**
 * A project and this user's membership in it, if the membership gives them the capability. One table call.
 *
 * @throws {NotFound} there is no such project, or they are no active member: which of them is not told
 * @throws {CapabilityMissing} their role does not include it
 */
export async function findMembership(
  table: Table,
  {
    projectId,
    userId,
    capability,
  }: { readonly projectId: string; readonly userId: string; readonly capability: Capability },
): Promise<Membership> {
  const Keys = [projectKey(projectId), memberKey(projectId, userId)];
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Unavailable('The table is busy; try again');

  const items = Responses?.[table.name] ?? [];
  const project = items.find(({ sk }) => sk === 'PROJECT');
  const found = items.find(({ sk }) => sk !== 'PROJECT');
  const member = found && Member.parse(found);
  if (!project || member?.status !== 'active') throw new NotFound('Project');
  if (!capabilitiesOf[member.role].includes(capability)) throw new CapabilityMissing(capability);
  return { project: Project.parse(project), member };
}

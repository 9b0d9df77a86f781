import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { NotFound, Unauthenticated } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { type LiveSession, liveSession, sessionClaim } from '../sessions/find-session.js';
import { capabilityMissing } from './errors.js';
import { type Capability, capabilitiesOf, Member, memberKey, memberPrefix, membersOf } from './member.js';
import { Project, projectKey } from './project.js';
import { requireAttached } from './require-attached.js';

export interface Membership {
  readonly project: Project;
  readonly member: Member;
}

interface MemberRequest {
  /** Of the session's cookie, if there is one. */
  readonly secret: string | undefined;
  readonly projectId: string;
  readonly capability: Capability;
  /** Whether it is for members of a detached project too, where others than reading are not. */
  readonly evenDetached?: boolean | undefined;
  readonly now: Date;
  /** Records that the path names, read along. */
  readonly also?: readonly Key[];
}

/**
 * Who calls, the project, and their membership in it, if that gives them the capability. One table
 * call for all of it, so that a list in a project needs no more than two.
 *
 * @throws {Unauthenticated} no live session
 * @throws {NotFound} there is no such project, or they are no active member; the error does not say
 * which
 * @throws {capabilityMissing} their role does not include it
 * @throws {ProjectDetached}
 */
export async function findMembership(
  table: Table,
  { secret, projectId, capability, evenDetached, now, also = [] }: MemberRequest,
): Promise<Membership & { readonly caller: LiveSession; readonly find: Find }> {
  const claim = sessionClaim(secret);
  if (!claim) throw new Unauthenticated();
  const { userId, keys } = claim;
  const find = await getItems(table, [...keys, projectKey(projectId), memberKey(projectId, userId), ...also]);
  const caller = liveSession(find, claim, now);
  if (!caller) throw new Unauthenticated();
  const found = find(projectKey(projectId));
  const membership = find(memberKey(projectId, userId));
  const member = membership && Member.parse(membership);
  if (!found || member?.status !== 'active') throw new NotFound('Project');
  if (!capabilitiesOf[member.role].includes(capability)) throw capabilityMissing(capability);
  const project = Project.parse(found);
  if (!evenDetached && !capability.endsWith(':read')) requireAttached(project);
  return { caller, project, member, find };
}

/** The active members, unordered: at most 90, which fit into one page. One table call. */
export async function listMembers(table: Table, projectId: string): Promise<readonly Member[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :project AND begins_with(sk, :member)',
      ExpressionAttributeValues: { ':project': membersOf(projectId), ':member': memberPrefix },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Member.parse(item)).filter(({ status }) => status === 'active');
}

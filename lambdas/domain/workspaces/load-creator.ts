import type { Table } from '../../shared/table.js';
import { Grant, grantKey } from '../code-host/grant.js';
import { Installation, installationKey } from '../code-host/installation.js';
import { Member, memberKey } from '../projects/member.js';
import type { Key } from '../records/changes.js';
import { getItems } from '../records/get-items.js';
import { User, userKey } from '../users/user.js';
import { Creation, creationItemKey } from './creation.js';

/** What has to be known of somebody who creates a workspace. */
export interface Creator {
  readonly user: User | undefined;
  readonly grant: Grant | undefined;
  readonly installation: Installation | undefined;
  readonly member: Member | undefined;
  /** What an earlier request with the same Idempotency-Key made. */
  readonly earlier: Creation | undefined;
}

export interface CreatorQuery {
  readonly userId: string;
  readonly installationId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly creationKey?: string | undefined;
}

/** One table call. */
export async function loadCreator(table: Table, query: CreatorQuery): Promise<Creator> {
  const { userId, installationId, projectId, creationKey } = query;
  const keys = {
    user: userKey(userId),
    grant: grantKey(userId),
    installation: installationId === undefined ? undefined : installationKey(userId, installationId),
    member: projectId === undefined ? undefined : memberKey(projectId, userId),
    earlier: creationKey === undefined ? undefined : creationItemKey(userId, creationKey),
  };
  const find = await getItems(
    table,
    Object.values(keys).filter((key) => key !== undefined),
  );
  const item = (key: Key | undefined) => key && find(key);
  return {
    user: parsed(User, item(keys.user)),
    grant: parsed(Grant, item(keys.grant)),
    installation: parsed(Installation, item(keys.installation)),
    member: parsed(Member, item(keys.member)),
    earlier: parsed(Creation, item(keys.earlier)),
  };
}

function parsed<T>(schema: { parse(value: unknown): T }, item: unknown): T | undefined {
  return item === undefined ? undefined : schema.parse(item);
}

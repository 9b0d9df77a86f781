import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { Conflict } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { type Grant, grantItem } from '../code-host/grant.js';
import { goneInstallations, installationKey } from '../code-host/installation.js';
import type { CodeHostProfile } from '../code-host/read-profile.js';
import { putInstallation } from '../code-host/record-installation.js';
import type { VisibleInstallations } from '../code-host/visible-repositories.js';
import { updateParameters } from '../records/changes.js';
import { type Session, sessionItem, sessionKey } from '../sessions/session.js';
import type { Acquaintance } from './find-user.js';
import { roleOf, type Superadmins } from './superadmins.js';
import {
  accessCheckSk,
  accessChecks,
  allUsers,
  identityItem,
  nextAccessCheck,
  type User,
  userItem,
  userKey,
} from './user.js';

type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

export interface SignIn {
  /** The user as they are found, with their installations; no user for a newcomer. */
  readonly found: Acquaintance;
  /** The user as they shall be. */
  readonly user: User;
  readonly grant: Grant;
  readonly session: Session;
  /** The session that this browser had until now, which ends. */
  readonly replaced: string | undefined;
  /** What the code host shows them now. */
  readonly visible: VisibleInstallations;
  readonly now: Date;
}

/** Somebody else has changed what this sign-in was based on; looking again gets it right. */
export class SignInOutdated extends Conflict {
  override readonly name = 'SignInOutdated';
  override readonly code = 'SIGN_IN_OUTDATED';
}

/**
 * A transaction holds at most 100 writes; the code host's callback records further installations.
 */
const maxInstallations = { seen: 50, gone: 40 } as const;

/**
 * Writes the user, their identity, their grant on the code host and the session: all or nothing, in
 * one table call.
 *
 * @throws {SignInOutdated} the account signed in elsewhere for the first time, or the user's role,
 * status or the end of their sessions has changed since `known` was read
 */
export async function completeSignIn(table: Table, signIn: SignIn): Promise<void> {
  const { found, user, grant, session, replaced, visible, now } = signIn;
  const person = found.user ? updateUser(table, found.user, user) : insertUser(table, user);
  const TransactItems: Writes = [
    ...person,
    { Put: { TableName: table.name, Item: grantItem(grant) } },
    { Put: { TableName: table.name, Item: sessionItem(session), ConditionExpression: absent } },
    ...(replaced ? [{ Delete: { TableName: table.name, Key: sessionKey(replaced) } }] : []),
    ...visible.installations
      .slice(0, maxInstallations.seen)
      .map((seen) => ({ Update: putInstallation(table, { userId: user.userId, now }, seen) })),
    ...goneInstallations(found.installations, visible)
      .slice(0, maxInstallations.gone)
      .map((installationId) => ({
        Delete: { TableName: table.name, Key: installationKey(user.userId, installationId) },
      })),
  ];
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems }));
  } catch (error) {
    const reasons = (error instanceof TransactionCanceledException && error.CancellationReasons) || [];
    if (!reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw error;
    throw new SignInOutdated('The account changed during the sign-in. Sign in again.', { cause: error });
  }
}

interface Terms {
  readonly newUserId: string;
  readonly superadmins: Superadmins;
  readonly now: Date;
}

/**
 * The user a profile makes: a newcomer with this id, or the known one with what the code host now
 * says of them.
 */
export function userOf(
  { user: known }: Acquaintance,
  profile: CodeHostProfile,
  { newUserId, superadmins, now }: Terms,
): User {
  const at = now.toISOString();
  const { id: githubId, login, name, email, avatarUrl } = profile;
  const role = roleOf(superadmins, { githubId, role: known?.role ?? 'user' });
  const reported = {
    githubId,
    login,
    name,
    email,
    avatarUrl,
    role,
    updatedAt: at,
    accessCheckAt: nextAccessCheck(now),
  };
  if (known) return { ...known, ...reported, ...readmission(known, role) };
  return {
    ...reported,
    userId: newUserId,
    status: 'active',
    projectCount: 0,
    createdAt: at,
  };
}

/**
 * Signing in is itself the proof that the policy admits them; and nobody but the setting ends a
 * superadmin.
 */
function readmission(known: User, role: User['role']): Pick<User, 'status' | 'suspendedBy'> {
  const hasEnded = known.suspendedBy === 'policy' || role === 'superadmin';
  return hasEnded ? { status: 'active', suspendedBy: undefined } : known;
}

const absent = 'attribute_not_exists(pk)';

function insertUser({ name: TableName }: Table, user: User): Writes {
  const put = (Item: Record<string, unknown>) => ({ Put: { TableName, Item, ConditionExpression: absent } });
  return [put(userItem(user)), put(identityItem(user.githubId, user.userId))];
}

function updateUser({ name: TableName }: Table, known: User, user: User): Writes {
  const { login, name, email, avatarUrl, role, status, updatedAt, accessCheckAt } = user;
  const change = updateParameters({
    key: userKey(known.userId),
    set: {
      ...{ login, name, email, avatarUrl, role, status, updatedAt, accessCheckAt },
      ...{ ownerPk: allUsers, ownerSk: user.userId, parentPk: accessChecks, parentSk: accessCheckSk(user) },
    },
    remove: user.suspendedBy === undefined ? ['suspendedBy'] : [],
    // A concurrent suspension or end of all sessions must not be passed by.
    when: {
      equals: {
        role: known.role,
        status: known.status,
        ...(known.accessVersion === undefined ? {} : { accessVersion: known.accessVersion }),
      },
      ...(known.accessVersion === undefined ? { absent: ['accessVersion'] } : {}),
    },
  });
  return [{ Update: { TableName, ...change } }];
}

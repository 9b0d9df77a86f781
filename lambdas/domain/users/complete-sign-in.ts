import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { Conflict } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { type Grant, grantItem } from '../code-host/grant.js';
import type { VisibleInstallation } from '../code-host/list-installations.js';
import { putInstallation } from '../code-host/put-installation.js';
import type { CodeHostProfile } from '../code-host/read-profile.js';
import { type Session, sessionItem } from '../sessions/session.js';
import { founderItem, identityItem, type User, userItem, userKey } from './user.js';

type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

export interface SignIn {
  /** The user as they are found; undefined for a newcomer. */
  readonly known: User | undefined;
  /** The user as they shall be. */
  readonly user: User;
  readonly grant: Grant;
  readonly session: Session;
  readonly installations: readonly VisibleInstallation[];
  readonly now: Date;
}

/** Somebody else has changed what this sign-in was based on; looking again gets it right. */
export class SignInOutdated extends Conflict {
  override readonly name = 'SignInOutdated';
  override readonly code = 'SIGN_IN_OUTDATED';
}

/** A transaction holds at most 100 writes; who has more installations adds the rest by the code host's callback. */
const maxInstallations = 50;

/**
 * Writes the user, their identity, their grant on the code host and the session: all or nothing, in one table call.
 *
 * @throws {SignInOutdated} the account signed in elsewhere for the first time, somebody became the first user, or the
 * user's role or status has changed since `known` was read
 */
export async function completeSignIn(table: Table, signIn: SignIn): Promise<void> {
  const { known, user, grant, session, installations, now } = signIn;
  const person = known ? updateUser(table, known, user) : insertUser(table, user);
  const TransactItems: Writes = [
    ...person,
    { Put: { TableName: table.name, Item: grantItem(grant) } },
    { Put: { TableName: table.name, Item: sessionItem(session), ConditionExpression: absent } },
    ...installations
      .slice(0, maxInstallations)
      .map((seen) => ({ Update: putInstallation(table, { userId: user.userId, now }, seen) })),
  ];
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems }));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    throw new SignInOutdated('The account was changed meanwhile; sign in again', { cause: error });
  }
}

/** The user a profile makes: a newcomer with this id, or the known one with what the code host now says of them. */
export function userOf(
  { known, hasFounder }: { readonly known: User | undefined; readonly hasFounder: boolean },
  profile: CodeHostProfile,
  { newUserId, now }: { readonly newUserId: string; readonly now: Date },
): User {
  const at = now.toISOString();
  const { id: githubId, login, name, email, avatarUrl } = profile;
  const told = { githubId, login, name, email, avatarUrl, updatedAt: at };
  if (known) return { ...known, ...told };
  return {
    ...told,
    userId: newUserId,
    role: hasFounder ? 'user' : 'superadmin',
    status: 'active',
    projectCount: 0,
    createdAt: at,
  };
}

const absent = 'attribute_not_exists(pk)';

function insertUser({ name: TableName }: Table, user: User): Writes {
  const put = (Item: Record<string, unknown>) => ({ Put: { TableName, Item, ConditionExpression: absent } });
  return [
    put(userItem(user)),
    put(identityItem(user.githubId, user.userId)),
    ...(user.role === 'superadmin' ? [put(founderItem(user.userId))] : []),
  ];
}

function updateUser({ name: TableName }: Table, known: User, user: User): Writes {
  return [
    {
      Update: {
        TableName,
        Key: userKey(known.userId),
        UpdateExpression:
          'SET login = :login, #name = :name, email = :email, avatarUrl = :avatarUrl, updatedAt = :updatedAt',
        // The session copies role and status, so they must be those that were read.
        ConditionExpression: '#role = :role AND #status = :status',
        ExpressionAttributeNames: { '#name': 'name', '#role': 'role', '#status': 'status' },
        ExpressionAttributeValues: {
          ':login': user.login,
          ':name': user.name,
          ':email': user.email,
          ':avatarUrl': user.avatarUrl,
          ':updatedAt': user.updatedAt,
          ':role': known.role,
          ':status': known.status,
        },
      },
    },
  ];
}

import type { Table } from '../../shared/table.js';
import { CodeHostAccessLost, CodeHostUnavailable } from '../code-host/errors.js';
import { loadAccount } from '../code-host/grant.js';
import { openUserToken, type UserTokenSource } from '../code-host/open-user-token.js';
import { changeItem } from '../records/change-item.js';
import { listDue } from '../records/list-due.js';
import { endAccess } from './end-access.js';
import { isAdmitted, isNamed, type SignInPolicy } from './sign-in-policy.js';
import { accessCheckSk, accessChecks, nextAccessCheck, User, userKey } from './user.js';

/** Bounds one run: what is left over is first in the next one. */
const maxChecks = 50;
/** When the code host does not answer for somebody, the others come first. */
const retryHours = 0.5;
/** So many times in a row, and nobody else is asked about in this run. */
const maxSilences = 3;

interface AccessCheck extends UserTokenSource {
  readonly policy: SignInPolicy;
  readonly now: Date;
}

interface Checked {
  readonly admitted: number;
  readonly suspended: number;
  /** The code host did not answer about them: their rights stay. */
  readonly unanswered: number;
}

/**
 * Checks the sign-in policy again for the people whose check is due, oldest first, each with their
 * own token. Somebody who is admitted no more, or whose token the code host refuses, is suspended
 * by the policy.
 */
export async function recheckAccess(check: AccessCheck): Promise<Checked> {
  const checked = { admitted: 0, suspended: 0, unanswered: 0 };
  let silences = 0;
  for (const user of await dueUsers(check)) {
    if (silences === maxSilences) break;
    const answer = await admission(check, user);
    silences = answer === 'unanswered' ? silences + 1 : 0;
    checked[answer] += 1;
    await follow(check, user, answer);
  }
  return checked;
}

async function dueUsers({ table, now }: AccessCheck): Promise<readonly User[]> {
  const items = await listDue(table, { partition: accessChecks, now, limit: maxChecks });
  return items.map((item) => User.parse(item));
}

async function admission(check: AccessCheck, user: User): Promise<keyof Checked> {
  const { policy, table, codeHost, now } = check;
  const account = { id: user.githubId, login: user.login };
  // Somebody who is suspended already is checked at their next sign-in.
  if (user.status !== 'active' || isNamed(policy, account)) return 'admitted';
  try {
    const { grant } = await loadAccount(table, user.userId);
    const token = await openUserToken(check, { grant, now });
    return (await isAdmitted(policy, codeHost, { account, token })) ? 'admitted' : 'suspended';
  } catch (error) {
    if (error instanceof CodeHostAccessLost) return 'suspended';
    if (error instanceof CodeHostUnavailable) return 'unanswered';
    throw error;
  }
}

async function follow({ table, now }: AccessCheck, user: User, answer: keyof Checked): Promise<void> {
  if (answer === 'suspended') {
    const change = { status: 'suspended', suspendedBy: 'policy' } as const;
    // A concurrent sign-in has checked the policy itself.
    const when = { status: user.status, updatedAt: user.updatedAt };
    await endAccess(table, { userId: user.userId, change, when, now });
  }
  await checkAgain(table, user, nextAccessCheck(now, answer === 'unanswered' ? retryHours : undefined));
}

/** Unless a sign-in has set another time. */
async function checkAgain(table: Table, user: User, accessCheckAt: string): Promise<void> {
  await changeItem(table, {
    key: userKey(user.userId),
    set: { accessCheckAt, parentSk: accessCheckSk({ ...user, accessCheckAt }) },
    when: { equals: { parentSk: accessCheckSk(user) } },
  });
}

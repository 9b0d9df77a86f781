import * as z from 'zod/mini';
import type { CodeHost } from '../code-host/code-host.js';
import { CodeHostAccessLost, CodeHostNotFound } from '../code-host/errors.js';
import { codeHostRequest } from '../code-host/request.js';
import { listAll } from '../code-host/visible-repositories.js';
import { readSuperadmins, type Superadmins } from './superadmins.js';

/** Who may use the deployment. All lists empty: superadmins only. */
export interface SignInPolicy {
  readonly superadmins: Superadmins;
  /**
   * Organisations of the code host whose active members may: logins in lower case, or numeric ids.
   */
  readonly organisations: ReadonlySet<string>;
  /** Single accounts: logins in lower case, or numeric ids. */
  readonly accounts: ReadonlySet<string>;
  /** Domains of verified primary addresses, in lower case. A subdomain is another domain. */
  readonly emailDomains: ReadonlySet<string>;
}

/** The settings as functions get them: comma-separated lists. */
export const signInPolicyEnv = {
  SUPERADMINS: z._default(z.string(), ''),
  ALLOWED_ORGANISATIONS: z._default(z.string(), ''),
  ALLOWED_LOGINS: z._default(z.string(), ''),
  ALLOWED_EMAIL_DOMAINS: z._default(z.string(), ''),
};

const listOf = (setting: string): ReadonlySet<string> =>
  new Set(
    setting
      .split(',')
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== ''),
  );

export const readSignInPolicy = (
  env: {
    readonly [Name in keyof typeof signInPolicyEnv]: string;
  },
): SignInPolicy => ({
  superadmins: readSuperadmins(env.SUPERADMINS),
  organisations: listOf(env.ALLOWED_ORGANISATIONS),
  accounts: listOf(env.ALLOWED_LOGINS),
  emailDomains: listOf(env.ALLOWED_EMAIL_DOMAINS),
});

/** An account or an organisation as the code host names it. */
interface Named {
  readonly id: string;
  readonly login: string;
}

/** An entry of digits is an id: an account's login may be digits, which must not match. */
const isListed = (list: ReadonlySet<string>, { id, login }: Named): boolean =>
  list.has(id) || (!/^[0-9]+$/.test(login) && list.has(login.toLowerCase()));

/** Whether the settings name the account itself, so that nobody has to be asked. */
export const isNamed = ({ superadmins, accounts }: SignInPolicy, account: Named): boolean =>
  superadmins.has(account.id) || isListed(accounts, account);

/**
 * Whether the policy admits an account, proved by the account's own token. The code host is asked
 * only for what the policy names. What the code host does not show to the token proves nothing.
 *
 * @throws {CodeHostUnavailable}
 */
export async function isAdmitted(
  policy: SignInPolicy,
  codeHost: Pick<CodeHost, 'apiUrl'>,
  { account, token }: { readonly account: Named; readonly token: string },
): Promise<boolean> {
  if (isNamed(policy, account)) return true;
  if (policy.emailDomains.size > 0) {
    const domain = await orNothing(() => primaryEmailDomain(codeHost, token));
    if (domain !== undefined && policy.emailDomains.has(domain)) return true;
  }
  if (policy.organisations.size === 0) return false;
  const organisations = await orNothing(() => activeOrganisations(codeHost, token));
  return organisations?.some((organisation) => isListed(policy.organisations, organisation)) ?? false;
}

async function orNothing<Found>(ask: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CodeHostAccessLost || error instanceof CodeHostNotFound) return undefined;
    throw error;
  }
}

const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Only this list says which addresses are verified; `GET /user` shows an unverified choice. */
async function primaryEmailDomain(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  token: string,
): Promise<string | undefined> {
  const { items } = await listAll((query) =>
    codeHostRequest(codeHost, {
      path: `/user/emails?${query}`,
      token,
      schema: Emails,
      what: 'E-mail addresses',
    }),
  );
  const email = items.find(({ primary, verified }) => primary && verified)?.email;
  return email
    ?.slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
}

const Memberships = z.array(
  z.object({ state: z.string(), organization: z.object({ id: z.int(), login: z.string() }) }),
);

async function activeOrganisations(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  token: string,
): Promise<readonly Named[]> {
  const { items } = await listAll((query) =>
    codeHostRequest(codeHost, {
      path: `/user/memberships/orgs?state=active&${query}`,
      token,
      schema: Memberships,
      what: 'Organisation memberships',
    }),
  );
  return items
    .filter(({ state }) => state === 'active')
    .map(({ organization: { id, login } }) => ({ id: String(id), login }));
}

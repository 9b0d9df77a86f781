import * as z from 'zod/mini';
import { Conflict } from '../../shared/errors.js';
import type { CodeHost } from './code-host.js';
import { CodeHostAccessLost, CodeHostNotFound, type InvalidReason, repositoryAccessLost } from './errors.js';
import { codeHostRequest } from './request.js';

const PullRequest = z.object({
  number: z.int(),
  /** People follow it, so that only web pages are allowed. */
  html_url: z.url({ protocol: /^https?$/ }),
});

export interface OpenPullRequest {
  readonly number: number;
  readonly url: string;
  /** False: it was open already. */
  readonly created: boolean;
}

interface PullRequestWish {
  /** Of the person who asks. */
  readonly token: string;
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

const refused = (reason: string) =>
  new Conflict(`The code host refuses the pull request: ${reason}`, { code: 'PULL_REQUEST_REFUSED' });

export const nothingPushed = (message: string) => new Conflict(message, { code: 'NOTHING_PUSHED' });

/**
 * Returns the open pull request of the branch, and opens one when there is none. A repeat returns
 * the same one.
 *
 * @throws {nothingPushed | refused | CodeHostAccessLost | CodeHostUnavailable}
 */
export async function ensurePullRequest(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  wish: PullRequestWish,
): Promise<OpenPullRequest> {
  try {
    return (await findOpen(codeHost, wish)) ?? (await open(codeHost, wish));
  } catch (error) {
    throw inWords(error, wish);
  }
}

async function findOpen(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  { token, repository, branch }: PullRequestWish,
): Promise<OpenPullRequest | undefined> {
  const [owner = ''] = repository.split('/');
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}` });
  const path = `/repos/${repository}/pulls?${query}` as const;
  const schema = z.array(PullRequest);
  const [found] = await codeHostRequest(codeHost, { path, token, schema, what: 'Repository' });
  return found && { number: found.number, url: found.html_url, created: false };
}

async function open(codeHost: Pick<CodeHost, 'apiUrl'>, wish: PullRequestWish): Promise<OpenPullRequest> {
  const { token, repository, branch: head, base, title, body } = wish;
  try {
    const made = await codeHostRequest(codeHost, {
      method: 'POST',
      path: `/repos/${repository}/pulls`,
      body: { title, body, base, head },
      ...{ token, schema: PullRequest, what: 'Repository' },
    });
    return { number: made.number, url: made.html_url, created: true };
  } catch (error) {
    // Somebody else, or the agent, opened one at the same time.
    const other = reasonsIn(error) && (await findOpen(codeHost, wish));
    if (other) return other;
    throw error;
  }
}

const reasonsIn = (error: unknown): readonly InvalidReason[] | undefined =>
  error instanceof CodeHostAccessLost ? error.reasons : undefined;

/** GitHub names the field when the branch does not exist, and writes a sentence without commits. */
const isNothing = ({ field, message = '' }: InvalidReason): boolean =>
  field === 'head' || message.startsWith('No commits between');

const maxReasonLength = 300;

/** The words of the code host, in one line. */
function wordsOf(reasons: readonly InvalidReason[]): string {
  const words = reasons.map(({ field, message }) => message ?? (field && `the field ${field} is invalid`));
  const line = words
    .filter(Boolean)
    .join('; ')
    .replace(/\p{Cc}+/gu, ' ');
  return line === '' ? 'it gives no reason.' : line.slice(0, maxReasonLength);
}

function inWords(error: unknown, { repository, branch, base }: PullRequestWish): unknown {
  const reasons = reasonsIn(error);
  if (reasons?.some(isNothing))
    return nothingPushed(
      `The code host has nothing to merge: ${branch} is not pushed, or has no commit that ${base} lacks. Push the work, then try again.`,
    );
  if (reasons) return refused(wordsOf(reasons));
  if (error instanceof CodeHostNotFound) return repositoryAccessLost(repository);
  if (error instanceof CodeHostAccessLost)
    return new CodeHostAccessLost(
      `The code host refuses the pull request. You need write access to ${repository}, and the application the permission Pull requests: read and write.`,
    );
  return error;
}

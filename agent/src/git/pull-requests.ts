import * as z from 'zod/mini';
import type { GitTokenResult } from '../../../protocol/callbacks.js';
import { type HttpResponse, sendRequest } from '../shared/http-request.js';

const timeoutMs = 15_000;
const maxBytes = 1_024 * 1_024;

const PullRequest = z.object({ html_url: z.url({ protocol: /^https?$/ }) });
const Repository = z.object({ default_branch: z.string() });
const Problem = z.object({
  message: z.string(),
  errors: z.optional(z.array(z.object({ message: z.optional(z.string()) }))),
});

export interface PullRequestWish {
  readonly branch: string;
  /** Null: the default branch of the repository. */
  readonly base: string | null;
  readonly title: string;
  readonly body: string;
}

/** The code host refused the request. The message is for the person. */
export class PullRequestRefused extends Error {
  override readonly name = 'PullRequestRefused';
}

/**
 * Returns the address of the open pull request of the branch, and opens one when there is none. A
 * repeat returns the same one.
 *
 * @throws PullRequestRefused, or another error when the code host does not answer
 */
export async function ensurePullRequest(
  { apiUrl, cloneUrl, token }: GitTokenResult,
  { branch, title, body, ...wish }: PullRequestWish,
): Promise<string> {
  if (apiUrl === undefined)
    throw new PullRequestRefused('The control plane names no address of the code host.');
  const [owner = '', name = ''] = new URL(cloneUrl).pathname
    .replace(/\.git$/, '')
    .split('/')
    .slice(1);
  const repository = `${apiUrl}/repos/${owner}/${name}`;
  const call = <Schema extends z.ZodMiniType>(path: string, schema: Schema, sent?: object) =>
    callCodeHost({ url: repository + path, token, schema, sent });
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}` });
  const open = () => call(`/pulls?${query}`, z.array(PullRequest));
  const [found] = await open();
  if (found) return found.html_url;
  const base = wish.base ?? (await call('', Repository)).default_branch;
  try {
    return (await call('/pulls', PullRequest, { title, body, base, head: branch })).html_url;
  } catch (error) {
    // The agent in the workspace opened one at the same time.
    const [other] = await open();
    if (other) return other.html_url;
    throw error;
  }
}

interface CodeHostCall<Schema> {
  readonly url: string;
  readonly token: string;
  readonly schema: Schema;
  readonly sent?: object | undefined;
}

async function callCodeHost<Schema extends z.ZodMiniType>({
  url,
  token,
  schema,
  sent,
}: CodeHostCall<Schema>): Promise<z.output<Schema>> {
  const response = await sendRequest({
    url,
    method: sent ? 'POST' : 'GET',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
      ...(sent ? { 'content-type': 'application/json' } : {}),
    },
    ...(sent ? { body: JSON.stringify(sent) } : {}),
    maxBytes,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.isOk) throw new PullRequestRefused(refusalOf(response));
  return schema.parse(JSON.parse(response.text()));
}

function refusalOf(response: HttpResponse): string {
  if (response.status === 403 || response.status === 404)
    return 'The code host refuses it. The application needs the permission Pull requests: read and write.';
  const text = response.status < 500 ? problemOf(response) : '';
  return text ? `The code host refuses it: ${text}` : `The code host answered ${response.status}.`;
}

function problemOf(response: HttpResponse): string {
  try {
    const { message, errors = [] } = Problem.parse(JSON.parse(response.text()));
    return [message, ...errors.map((error) => error.message ?? '')].filter(Boolean).join('. ').slice(0, 300);
  } catch {
    return '';
  }
}

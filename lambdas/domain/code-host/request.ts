import * as z from 'zod/mini';
import { type CodeHost, codeHostTimeoutMs } from './code-host.js';
import { CodeHostAccessLost, CodeHostNotFound, CodeHostUnavailable, type InvalidReason } from './errors.js';

interface CodeHostCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: `/${string}`;
  readonly token: string;
  readonly body?: object;
  readonly accept?: string;
  /** Ends the call and the reading of its answer. */
  readonly signal?: AbortSignal;
  /** What a 404 means, for the person. */
  readonly what: string;
}

interface CodeHostRequest<Schema extends z.ZodMiniType> extends CodeHostCall {
  readonly schema: Schema;
}

/**
 * One call of the code host's REST interface.
 *
 * @throws {CodeHostUnavailable | CodeHostAccessLost | CodeHostNotFound}
 */
export async function codeHostRequest<Schema extends z.ZodMiniType>(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  { schema, ...call }: CodeHostRequest<Schema>,
): Promise<z.output<Schema>> {
  return read(await callCodeHost(codeHost, call), schema);
}

/**
 * The same, with the answer as it came.
 *
 * @throws {CodeHostUnavailable | CodeHostAccessLost | CodeHostNotFound}
 */
export async function callCodeHost(
  { apiUrl }: Pick<CodeHost, 'apiUrl'>,
  { method = 'GET', path, token, body, accept, signal, what }: CodeHostCall,
): Promise<Response> {
  const response = await send(`${apiUrl}${path}`, {
    method,
    headers: {
      accept: accept ?? 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'berth',
      'x-github-api-version': '2022-11-28',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: signal ?? AbortSignal.timeout(codeHostTimeoutMs),
  });
  await refuse(response, what);
  return response;
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (cause) {
    throw new CodeHostUnavailable({ cause });
  }
}

async function refuse(response: Response, what: string): Promise<void> {
  const { status } = response;
  if (status < 300) return;
  // Renamed or moved: another repository may have its name next, so no redirect is followed.
  if (status < 400 || status === 404) throw new CodeHostNotFound(what);
  if (status === 422) throw new CodeHostAccessLost(undefined, await reasonsOf(response));
  if (status === 401 || (status === 403 && !isSpent(response))) throw new CodeHostAccessLost();
  throw new CodeHostUnavailable({ cause: new Error(`The code host answered ${status}`) });
}

/** A spent rate limit is answered with 403 too, and passes by itself. */
const isSpent = ({ headers }: Response): boolean =>
  headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after');

const Reason = z.object({ field: z.optional(z.string()), message: z.optional(z.string()) });
const Refused = z.object({ errors: z.array(z.union([Reason, z.string()])) });

async function reasonsOf(response: Response): Promise<readonly InvalidReason[]> {
  const { data } = Refused.safeParse(await response.json().catch(() => undefined));
  return (data?.errors ?? []).map((each) => (typeof each === 'string' ? { message: each } : each));
}

async function read<Schema extends z.ZodMiniType>(
  response: Response,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) throw new CodeHostUnavailable({ cause: parsed.error });
  return parsed.data;
}

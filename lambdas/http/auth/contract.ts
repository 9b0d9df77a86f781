import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

/**
 * A path of ours and nothing else: `//host` and `/\host` would leave the site, and so would hidden
 * control characters.
 */
const OwnPath = z
  .string()
  .check(z.maxLength(512), z.regex(/^\/(?:[^/\\\s\p{Cc}][^\\\s\p{Cc}]*)?$/u, 'Not a path of this site'));

export const signIn = contract({
  summary: 'Start a sign-in with the code host',
  description:
    'Returns the address to send the browser to. A form post, or a request that accepts HTML, is redirected to that address. At most 10 a minute from one IP address.',
  body: z.strictObject({ provider: z.literal('github'), callbackURL: z._default(OwnPath, '/') }),
  bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
  responses: { 200: z.object({ url: z.url(), redirect: z.literal(true) }), 303: null },
  answers: {
    200: {
      url: 'https://github.com/login/oauth/authorize?client_id=Iv1.example&state=example',
      redirect: true,
    },
  },
  errors: ['FORBIDDEN', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});

export const callback = contract({
  summary: 'Complete a sign-in: the code host redirects the browser here',
  description:
    'Opens a sign-in session and redirects to the `callbackURL` of the sign-in, or on failure to `/?error=<reason>`: access_denied, state_mismatch, code_host_unavailable, code_host_refused, account_suspended, sign_in_not_allowed (the sign-in policy of the deployment does not admit the account).',
  params: z.object({ provider: z.literal('github') }),
  // What a code host adds to its redirect is its own.
  query: z.looseObject({
    state: z.optional(z.string()),
    code: z.optional(z.string()),
    error: z.optional(z.string()),
  }),
  responses: { 302: null },
});

export const signOut = contract({
  summary: 'Sign out',
  description:
    'Ends the sign-in session of the caller. Repeating the call, or calling without a session, is no error.',
  readsSession: true,
  responses: { 200: z.object({ success: z.literal(true) }) },
  errors: ['FORBIDDEN'],
});

const SessionReply = z.object({
  session: z.object({ createdAt: z.iso.datetime(), expiresAt: z.iso.datetime() }),
  user: z.object({
    id: Ulid,
    name: z.string(),
    login: z.string(),
    email: z.nullable(z.string()),
    avatarUrl: z.nullable(z.string()),
    role: z.enum(['superadmin', 'admin', 'user']),
    createdAt: z.iso.datetime(),
  }),
});

export const session = contract({
  summary: 'Get the current sign-in session and its user',
  readsSession: true,
  description: 'Returns `null` to a caller who is not signed in.',
  responses: { 200: z.nullable(SessionReply) },
});

/** Opens nothing: it is derived from the hash that the session is stored by. */
const SessionId = z.string().check(z.regex(/^[\w-]{22}$/, 'Not the id of a session'));

export const sessions = contract({
  summary: 'List your sign-in sessions',
  description:
    'The newest is last. `client` names the browser and the operating system of the sign-in, if known.',
  responses: {
    200: z.object({
      sessions: z.array(
        z.object({
          id: SessionId,
          createdAt: z.iso.datetime(),
          expiresAt: z.iso.datetime(),
          isCurrent: z.boolean(),
          client: z.nullable(z.string()),
        }),
      ),
    }),
  },
  answers: {
    200: {
      sessions: [
        {
          id: 'q3fT0cZsW1mYkR7uXbN9aA',
          createdAt: '2026-11-21T10:00:00.000Z',
          expiresAt: '2026-11-28T10:00:00.000Z',
          isCurrent: true,
          client: 'Firefox on Linux',
        },
      ],
    },
  },
});

export const endSession = contract({
  summary: 'End one of your sign-in sessions',
  description:
    'The next request of the session is refused. Its live sockets, terminals and agent sockets are closed within a minute. Agents keep running.',
  params: z.object({ sessionId: SessionId }),
  responses: { 200: z.object({ success: z.literal(true) }) },
  errors: ['NOT_FOUND'],
});

export const signOutEverywhere = contract({
  summary: 'End all your sign-in sessions',
  description:
    'Ends the current session too. The next request of each session is refused. Their live sockets, terminals and agent sockets are closed within a minute. Agents keep running.',
  responses: { 200: z.object({ success: z.literal(true) }) },
});

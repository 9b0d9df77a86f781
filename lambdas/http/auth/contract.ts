import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

/** A path of ours and nothing else: `//host` and `/\host` would leave the site, and so would hidden control characters. */
const OwnPath = z
  .string()
  .check(z.maxLength(512), z.regex(/^\/(?![/\\])[^\\\s\p{Cc}]*$/u, 'Not a path of this site'));

export const signIn = contract({
  summary: 'Begin a sign-in with the code host',
  description:
    'Answers with the address to send the browser to; a form post, or a request that accepts HTML, is redirected there. Ten a minute for an address.',
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
  summary: 'Where the code host sends the browser back to',
  description:
    'Opens the session and redirects to `callbackURL` of the sign-in, or to `/?error=<reason>`: access_denied, state_mismatch, code_host_unavailable, code_host_refused, account_suspended, sign_in_not_allowed (the sign-in policy of the deployment does not admit the account).',
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
  summary: 'End the session',
  description: 'Repeating it, or calling it signed out, is no error.',
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
  summary: 'The session and its user',
  readsSession: true,
  description: '`null` for a caller who is not signed in.',
  responses: { 200: z.nullable(SessionReply) },
});

/** Opens nothing: it is derived from the hash that the session is stored by. */
const SessionId = z.string().check(z.regex(/^[\w-]{22}$/, 'Not the id of a session'));

export const sessions = contract({
  summary: 'Your sign-in sessions',
  description:
    'Newest last. `client` names browser and system as they were at the sign-in, where they are known.',
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
    'The session is refused from the next request on. Its live sockets, and its terminals and agent sockets on nodes, are closed within a minute; agents go on.',
  params: z.object({ sessionId: SessionId }),
  responses: { 200: z.object({ success: z.literal(true) }) },
  errors: ['NOT_FOUND'],
});

export const signOutEverywhere = contract({
  summary: 'End all your sign-in sessions',
  description:
    'This one too. All of them are refused from the next request on. Live sockets, and terminals and agent sockets on nodes, are closed within a minute; agents go on.',
  responses: { 200: z.object({ success: z.literal(true) }) },
});

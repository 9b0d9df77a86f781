import * as z from 'zod/mini';

/** https, or http to a server beside the agent. No user, query or reference to a variable. */
export const ModelAddress = z.string().check(
  z.maxLength(2_048),
  z.regex(
    /^(?:https:\/\/(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?:\/[A-Za-z0-9._~%/-]*)?$/,
    'An https address, or an http address on localhost, without user and query',
  ),
  z.refine((address) => URL.canParse(address), 'Not an address'),
);

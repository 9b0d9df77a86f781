/**
 * A browser cannot set headers of a WebSocket. It offers its token as a subprotocol, so that no
 * address contains the token. The node selects `berth` and does not return the token.
 */
const selected = 'berth';
const prefix = 'berth.token.';

/** The subprotocols that a client offers. */
export const protocolsWith = (token: string): string[] => [selected, `${prefix}${token}`];

/** The token in a Sec-WebSocket-Protocol header. */
export function tokenOfProtocols(header: string | string[] | undefined): string | null {
  const offered = typeof header === 'string' ? header.split(',').map((name) => name.trim()) : [];
  return offered.find((name) => name.startsWith(prefix))?.slice(prefix.length) ?? null;
}

/** The subprotocol of the answer; false when the client offers only a token, or nothing. */
export const selectProtocol = (offered: ReadonlySet<string>): string | false =>
  [...offered].find((name) => !name.startsWith(prefix)) ?? false;

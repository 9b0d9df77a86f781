/**
 * What browsers may do with the front address. Terminals connect to nodes, whose addresses are not
 * known beforehand: hence `wss:` and `https:` for connections. A sign-in form is answered by a
 * redirect to the code host, which browsers hold against `form-action`. Nothing is loaded from
 * elsewhere; inline styles are what the terminal emulator sets.
 * `also`: further addresses to connect to, the laptop's, which have no TLS.
 */
export const contentSecurityPolicy = (also: readonly string[] = []): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    ['connect-src', "'self'", 'https:', 'wss:', ...also].join(' '),
    "img-src 'self' data: https:",
    "style-src 'self' 'unsafe-inline'",
    "object-src 'none'",
    "base-uri 'none'",
    ['form-action', "'self'", 'https:', ...also].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * No window of another origin keeps a hold of the console's, no page of another origin loads
 * anything from here, and no page of a sibling host shares its process.
 */
export const isolationHeaders: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

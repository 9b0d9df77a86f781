import { renewalRatio } from '../../../../protocol/tokens.js';
import { duration, ratio, secret, text } from '../variable.js';

/** Credentials of this node, and time limits of its callbacks. */
export const identityVariables = {
  callbackTokenFile: text(
    'CALLBACK_TOKEN_FILE',
    '/etc/svc/callback-token',
    "Root-only file with the node's callback token",
  ),
  callbackToken: secret('CALLBACK_TOKEN', 'Callback token when the file does not exist (legacy)'),
  bootstrapToken: secret(
    'BOOTSTRAP_TOKEN',
    'Single-use token that a node without a callback token redeems for one',
  ),
  keySetTimeoutMs: duration('JWKS_FETCH_TIMEOUT', '10s', 'Timeout of fetching the key set'),
  callbackTimeoutMs: duration('HTTP_CALLBACK_TIMEOUT', '30s', 'Timeout of one callback'),
  bootLogTimeoutMs: duration('BOOT_LOG_HTTP_TIMEOUT', '10s', 'Timeout of one boot-log callback'),
  heartbeatIntervalMs: duration('HEARTBEAT_INTERVAL', '60s', 'Interval of heartbeats', 100),
  renewal: {
    ratio: ratio(
      [
        'WORKSPACE_CALLBACK_TOKEN_REFRESH_RATIO',
        String(renewalRatio.default),
        "Fraction of a workspace token's lifetime after which it is renewed; clamped to 0.1 to 0.9",
      ],
      renewalRatio,
    ),
    timeoutMs: duration('WORKSPACE_CALLBACK_TOKEN_RENEWAL_TIMEOUT', '15s', 'Timeout of one renewal request'),
    retryInitialMs: duration(
      'WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_INITIAL',
      '1m',
      'First delay after a failed renewal',
    ),
    retryMaxMs: duration(
      'WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_MAX',
      '30m',
      'Longest delay after a failed renewal; also the delay when renewal is not due yet',
    ),
  },
};

import { renewalRatio } from '../../../../protocol/tokens.js';
import { duration, ratio, secret, text } from '../variable.js';

/** How this node proves who it is, and how patient it is with the control plane. */
export const identityVariables = {
  callbackTokenFile: text(
    'CALLBACK_TOKEN_FILE',
    '/etc/svc/callback-token',
    "Root-only file with the node's callback token",
  ),
  callbackToken: secret('CALLBACK_TOKEN', 'Legacy fallback for that token'),
  bootstrapToken: secret('BOOTSTRAP_TOKEN', 'Redeemed once for a callback token where there is none'),
  keySetTimeoutMs: duration('JWKS_FETCH_TIMEOUT', '10s', 'Start-up fetch of the key set'),
  callbackTimeoutMs: duration('HTTP_CALLBACK_TIMEOUT', '30s', 'One callback'),
  bootLogTimeoutMs: duration('BOOT_LOG_HTTP_TIMEOUT', '10s', 'One boot-log callback'),
  heartbeatIntervalMs: duration('HEARTBEAT_INTERVAL', '60s', 'Between heartbeats', 100),
  renewal: {
    ratio: ratio(
      [
        'WORKSPACE_CALLBACK_TOKEN_REFRESH_RATIO',
        String(renewalRatio.default),
        "Part of a workspace token's life after which it is renewed; clamped to 0.1 to 0.9",
      ],
      renewalRatio,
    ),
    timeoutMs: duration('WORKSPACE_CALLBACK_TOKEN_RENEWAL_TIMEOUT', '15s', 'One renewal request'),
    retryInitialMs: duration(
      'WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_INITIAL',
      '1m',
      'First wait after a failed renewal',
    ),
    retryMaxMs: duration(
      'WORKSPACE_CALLBACK_TOKEN_RENEWAL_RETRY_MAX',
      '30m',
      'Longest such wait; also the wait after an answer that renewal is not due yet',
    ),
  },
};

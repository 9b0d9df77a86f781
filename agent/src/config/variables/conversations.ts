import { duration, integer } from '../variable.js';

const mebibyte = 1_024 * 1_024;
const atMost = (max: number) => ({ min: 1, max });

/** What agents' sessions tell: to viewers, as activity, and as messages of a chat. */
export const conversationVariables = {
  buffer: {
    frames: integer(
      ['ACP_MESSAGE_BUFFER_SIZE', '5000', 'Frames a conversation keeps for viewers'],
      atMost(100_000),
    ),
    bytes: integer(['ACP_MESSAGE_BUFFER_BYTES', String(8 * mebibyte), 'Bytes of these, about'], {
      min: 65_536,
      max: 1_024 * mebibyte,
    }),
  },
  viewers: {
    frames: integer(
      ['ACP_VIEWER_SEND_BUFFER', '256', "Frames with a viewer's socket that the network has not taken"],
      atMost(10_000),
    ),
    bytes: integer(['ACP_VIEWER_SEND_BYTES', String(mebibyte), 'Bytes of these'], {
      min: 1_024,
      max: 64 * mebibyte,
    }),
    writeMs: duration('ACP_VIEWER_WRITE_TIMEOUT', '10s', 'Longest time a frame may stay there'),
    pingMs: duration('ACP_PING_INTERVAL', '30s', "Between pings of a viewer's socket"),
    pongMs: duration('ACP_PONG_TIMEOUT', '10s', 'Longest wait for their answer'),
  },
  activity: {
    debounceMs: duration('ACP_HARNESS_ACTIVITY_REPORT_DEBOUNCE', '750ms', 'Window of activity reports', 0),
    repeatMs: duration('ACTIVITY_REREPORT_INTERVAL', '2m', 'Between reports of the same work'),
    timeoutMs: duration('ACP_ACTIVITY_REPORT_TIMEOUT', '10s', 'One activity report'),
    resting: {
      attempts: integer(
        ['ACTIVITY_TERMINAL_REPORT_ATTEMPTS', '5', 'Attempts to report the end of work'],
        atMost(100),
      ),
      backoffMs: duration('ACTIVITY_TERMINAL_REPORT_BACKOFF', '1s', 'Wait after the first of these'),
    },
  },
  heartbeatMs: duration('ACP_HEARTBEAT_INTERVAL', '60s', "Between heartbeats of the node's projects"),
  messages: {
    outbox: {
      messages: integer(
        ['MSG_OUTBOX_MAX_SIZE', '10000', 'Messages of a workspace that may wait'],
        atMost(1_000_000),
      ),
      bytes: integer(['MSG_OUTBOX_MAX_BYTES', String(64 * mebibyte), 'Bytes of these'], {
        min: mebibyte,
        max: 1_024 * mebibyte,
      }),
    },
    delivery: {
      batchWaitMs: duration('MSG_BATCH_MAX_WAIT', '500ms', 'Longest wait of a message for others', 0),
      batch: {
        messages: integer(['MSG_BATCH_MAX_SIZE', '50', 'Messages of a request'], atMost(100)),
        bytes: integer(['MSG_BATCH_MAX_BYTES', '262144', 'Bytes of these'], { min: 1_024, max: 262_144 }),
      },
      retryInitialMs: duration('MSG_RETRY_INITIAL', '1s', 'First wait after a failed request'),
      retryMaxMs: duration('MSG_RETRY_MAX', '30s', 'Longest such wait, without its jitter'),
      retryMaxElapsedMs: duration(
        'MSG_RETRY_MAX_ELAPSED',
        '5m',
        'After this a failing delivery is reported, and what is refused for no known reason dropped',
      ),
      timeoutMs: duration('MSG_HTTP_TIMEOUT', '10s', 'One request with messages'),
      authRenewalWaitMs: duration(
        'MSG_AUTH_RENEWAL_WAIT',
        '15m',
        'Pause on a rejected workspace token after which it is reported',
      ),
    },
  },
};

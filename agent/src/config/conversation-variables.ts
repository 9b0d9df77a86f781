import { duration, integer } from './variable.js';

const mebibyte = 1_024 * 1_024;
const atMost = (max: number) => ({ min: 1, max });

/** What agent sessions send: frames to viewers, activity reports, and messages of a chat. */
export const conversationVariables = {
  buffer: {
    frames: integer(
      ['ACP_MESSAGE_BUFFER_SIZE', '5000', 'Frames that a conversation keeps for replay'],
      atMost(100_000),
    ),
    bytes: integer(
      [
        'ACP_MESSAGE_BUFFER_BYTES',
        String(8 * mebibyte),
        'Approximate bytes of the frames that a conversation keeps',
      ],
      {
        min: 65_536,
        max: 1_024 * mebibyte,
      },
    ),
  },
  viewers: {
    frames: integer(['ACP_VIEWER_SEND_BUFFER', '256', 'Unsent frames of one viewer'], atMost(10_000)),
    bytes: integer(['ACP_VIEWER_SEND_BYTES', String(mebibyte), 'Bytes of the unsent frames of one viewer'], {
      min: 1_024,
      max: 64 * mebibyte,
    }),
    writeMs: duration('ACP_VIEWER_WRITE_TIMEOUT', '10s', 'Longest time a frame may stay unsent'),
    pingMs: duration('ACP_PING_INTERVAL', '30s', "Interval of pings to a viewer's socket"),
    pongMs: duration('ACP_PONG_TIMEOUT', '10s', 'Longest wait for the answer to a ping'),
  },
  activity: {
    debounceMs: duration(
      'ACP_HARNESS_ACTIVITY_REPORT_DEBOUNCE',
      '750ms',
      'Window in which activity reports are combined',
      0,
    ),
    repeatMs: duration(
      'ACTIVITY_REREPORT_INTERVAL',
      '2m',
      'Interval of repeated reports of the same activity',
    ),
    timeoutMs: duration('ACP_ACTIVITY_REPORT_TIMEOUT', '10s', 'Timeout of one activity report'),
    resting: {
      attempts: integer(
        ['ACTIVITY_TERMINAL_REPORT_ATTEMPTS', '5', 'Attempts to report the end of work'],
        atMost(100),
      ),
      backoffMs: duration(
        'ACTIVITY_TERMINAL_REPORT_BACKOFF',
        '1s',
        'Delay after the first of these attempts',
      ),
    },
  },
  heartbeatMs: duration('ACP_HEARTBEAT_INTERVAL', '60s', "Interval of heartbeats for the node's projects"),
  messages: {
    outbox: {
      messages: integer(
        ['MSG_OUTBOX_MAX_SIZE', '10000', 'Undelivered messages of one workspace'],
        atMost(1_000_000),
      ),
      bytes: integer(
        ['MSG_OUTBOX_MAX_BYTES', String(64 * mebibyte), 'Bytes of the undelivered messages of one workspace'],
        {
          min: mebibyte,
          max: 1_024 * mebibyte,
        },
      ),
    },
    delivery: {
      batchWaitMs: duration(
        'MSG_BATCH_MAX_WAIT',
        '500ms',
        'Longest time a message waits for others before a request is sent',
        0,
      ),
      batch: {
        messages: integer(['MSG_BATCH_MAX_SIZE', '50', 'Messages in one request'], atMost(100)),
        bytes: integer(['MSG_BATCH_MAX_BYTES', '262144', 'Bytes of the messages in one request'], {
          min: 1_024,
          max: 262_144,
        }),
      },
      retryInitialMs: duration('MSG_RETRY_INITIAL', '1s', 'First delay after a failed request with messages'),
      retryMaxMs: duration('MSG_RETRY_MAX', '30s', 'Longest delay between these requests, without jitter'),
      retryMaxElapsedMs: duration(
        'MSG_RETRY_MAX_ELAPSED',
        '5m',
        'Time after which a failing delivery is reported and messages refused for an unknown reason are dropped',
      ),
      timeoutMs: duration('MSG_HTTP_TIMEOUT', '10s', 'Timeout of one request with messages'),
      authRenewalWaitMs: duration(
        'MSG_AUTH_RENEWAL_WAIT',
        '15m',
        'Time after which a refused callback token is reported; delivery pauses until its renewal',
      ),
    },
  },
};

import { duration, integer } from '../variable.js';

const entries = { min: 1, max: 10_000 };

/** Pages and streams of log entries. */
export const logVariables = {
  maxLimit: integer(['LOG_RETRIEVAL_MAX_LIMIT', '1000', 'Most entries of a log page'], entries),
  defaultLimit: integer(['LOG_RETRIEVAL_DEFAULT_LIMIT', '200', 'Entries of a log page'], entries),
  readerTimeoutMs: duration('LOG_READER_TIMEOUT', '30s', 'One read of the journal'),
  stream: {
    catchUp: integer(['LOG_STREAM_BUFFER_SIZE', '100', 'Entries a new stream begins with'], {
      min: 0,
      max: 10_000,
    }),
    pingIntervalMs: duration('LOG_STREAM_PING_INTERVAL', '30s', 'Between pings of a stream'),
    pingWriteTimeoutMs: duration('LOG_STREAM_PING_WRITE_TIMEOUT', '10s', 'Longest time to write a ping'),
    pongTimeoutMs: duration('LOG_STREAM_PONG_TIMEOUT', '90s', 'Longest silence of a client'),
    restartDelayMs: duration(
      'LOG_STREAM_RESTART_DELAY',
      '2s',
      'Before a source that ended is followed again',
    ),
  },
};

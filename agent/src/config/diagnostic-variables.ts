import { duration, integer } from './variable.js';

/** Load samples and the debug package. */
export const diagnosticVariables = {
  metricsIntervalMs: duration('METRICS_INTERVAL', '1m', "Interval of samples of the machine's load", 100),
  packageTimeoutMs: duration('DEBUG_PACKAGE_TIMEOUT', '60s', 'Timeout of one debug package'),
  packageLogLimit: integer(
    ['DEBUG_PACKAGE_LOG_LIMIT', '10000', "Lines of each log in a debug package, except the journal's"],
    {
      min: 1,
      max: 1_000_000,
    },
  ),
};

const entries = { min: 1, max: 10_000 };

/** Pages and streams of log entries. */
export const logVariables = {
  maxLimit: integer(
    ['LOG_RETRIEVAL_MAX_LIMIT', '1000', 'Most entries of a log page that a request may ask for'],
    entries,
  ),
  defaultLimit: integer(['LOG_RETRIEVAL_DEFAULT_LIMIT', '200', 'Entries of a log page by default'], entries),
  readerTimeoutMs: duration('LOG_READER_TIMEOUT', '30s', 'Timeout of one read of the journal'),
  stream: {
    catchUp: integer(['LOG_STREAM_BUFFER_SIZE', '100', 'Past entries that a new stream begins with'], {
      min: 0,
      max: 10_000,
    }),
    pingIntervalMs: duration('LOG_STREAM_PING_INTERVAL', '30s', 'Interval of pings to a log stream'),
    pingWriteTimeoutMs: duration('LOG_STREAM_PING_WRITE_TIMEOUT', '10s', 'Timeout of writing a ping'),
    pongTimeoutMs: duration('LOG_STREAM_PONG_TIMEOUT', '90s', 'Longest time a client may not answer pings'),
    restartDelayMs: duration(
      'LOG_STREAM_RESTART_DELAY',
      '2s',
      'Delay before a source that ended is followed again',
    ),
  },
};

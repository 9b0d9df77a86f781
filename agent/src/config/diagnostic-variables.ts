import { resolve } from 'node:path';
import { resourceHistoryLimits } from '../../../protocol/resource-history.js';
import { duration, integer, parsedIfGiven } from './variable.js';

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

/** The history of the resources that containers use. */
export const resourceHistoryVariables = {
  sampleIntervalMs: duration(
    'RESOURCE_HISTORY_SAMPLE_INTERVAL',
    '5s',
    'Interval of samples of what a container uses',
    100,
  ),
  chunkIntervalMs: duration('RESOURCE_HISTORY_CHUNK_INTERVAL', '15m', 'Duration of an uploaded chunk', 100),
  spoolDir: parsedIfGiven(
    {
      name: 'RESOURCE_HISTORY_SPOOL_DIR',
      meaning: 'Folder of chunks that wait for their upload; default: resource-history in the state folder',
    },
    'a path',
    (given) => resolve(given),
  ),
  spoolMaxBytes: integer(['RESOURCE_HISTORY_SPOOL_MAX_BYTES', '20971520', 'Size of that folder at most'], {
    min: 65_536,
    max: 2 ** 40,
  }),
  uploadTimeoutMs: duration('RESOURCE_HISTORY_UPLOAD_TIMEOUT', '10s', 'Timeout of one upload'),
  maxSamples: integer(['RESOURCE_HISTORY_MAX_SAMPLES', '4096', 'Samples of a chunk at most'], {
    min: 1,
    max: resourceHistoryLimits.samples,
  }),
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

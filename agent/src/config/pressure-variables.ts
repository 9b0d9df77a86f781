import { integer, parsed, type Variable } from './variable.js';

const longestSeconds = 86_400;

/** A positive whole number of seconds, as milliseconds. */
function seconds(...description: [name: string, fallback: string, meaning: string]): Variable<number> {
  const whole = integer(description, { min: 1, max: longestSeconds });
  return { ...whole, read: (given) => whole.read(given) * 1_000 };
}

function percent(...description: [name: string, fallback: string, meaning: string]): Variable<number> {
  return parsed(description, 'a percentage greater than 0 and at most 100', (given) => {
    const value = /^\d+(?:\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
    return value > 0 && value <= 100 ? value : undefined;
  });
}

/** What the resource guard observes. */
export const pressureVariables = {
  eventBufferSize: integer(
    ['DEFAULT_RESOURCE_EVENT_BUFFER_SIZE', '64', 'Capacity of each queue of pressure and container events'],
    { min: 1, max: 65_536 },
  ),
  pollIntervalMs: seconds(
    'DEFAULT_PSI_POLL_INTERVAL_SECONDS',
    '10',
    "Interval of samples of the kernel's memory pressure, in seconds",
  ),
  statsIntervalMs: seconds(
    'DEFAULT_CONTAINER_STATS_INTERVAL_SECONDS',
    '30',
    'Interval of samples of all containers and of the disk, in seconds',
  ),
  some: {
    warning: percent(
      'DEFAULT_PSI_MEMORY_SOME_WARNING_THRESHOLD',
      '25',
      'Warning level, in per cent: some tasks wait for memory (the larger of avg10 and avg60)',
    ),
    critical: percent('DEFAULT_PSI_MEMORY_SOME_CRITICAL_THRESHOLD', '50', 'Critical level of that figure'),
  },
  full: {
    warning: percent(
      'DEFAULT_PSI_MEMORY_FULL_WARNING_THRESHOLD',
      '10',
      'Warning level, in per cent: all tasks wait for memory (the larger of avg10 and avg60)',
    ),
    critical: percent('DEFAULT_PSI_MEMORY_FULL_CRITICAL_THRESHOLD', '25', 'Critical level of that figure'),
  },
};

/** How workspaces are evicted under pressure. */
export const evictionVariables = {
  debounceMs: seconds(
    'DEFAULT_EVICTION_DEBOUNCE_SECONDS',
    '30',
    'Shortest time between eviction attempts, in seconds',
  ),
  snapshotTimeoutMs: seconds(
    'DEFAULT_EVICTION_SNAPSHOT_TIMEOUT_SECONDS',
    '120',
    'Timeout of the snapshot before the stop, in seconds',
  ),
  dockerStopTimeoutMs: seconds(
    'DEFAULT_EVICTION_DOCKER_STOP_TIMEOUT_SECONDS',
    '10',
    'Time that a container has to end before it is killed, in seconds',
  ),
  callbackRetryMaxMs: seconds(
    'DEFAULT_EVICTION_CALLBACK_RETRY_MAX_SECONDS',
    '300',
    'Longest delay between attempts to report an eviction, in seconds; never shorter than one operation',
  ),
  resolveTimeoutMs: seconds(
    'DEFAULT_EVICTION_RESOLVE_TIMEOUT_SECONDS',
    '5',
    'Timeout of finding the workspace of a container, in seconds',
  ),
};

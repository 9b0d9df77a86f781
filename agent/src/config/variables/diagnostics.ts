import { duration, integer } from '../variable.js';

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

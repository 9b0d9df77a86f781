import { duration, integer } from '../variable.js';

/** What the node records about itself and packs for those who look for a fault. */
export const diagnosticVariables = {
  metricsIntervalMs: duration('METRICS_INTERVAL', '1m', "Between samples of the machine's load", 100),
  packageTimeoutMs: duration('DEBUG_PACKAGE_TIMEOUT', '60s', 'One debug package'),
  packageLogLimit: integer(
    ['DEBUG_PACKAGE_LOG_LIMIT', '10000', "Lines of each log in it, the journal's aside"],
    {
      min: 1,
      max: 1_000_000,
    },
  ),
};

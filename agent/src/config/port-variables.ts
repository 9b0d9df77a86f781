import { duration, flag, integer, oneOf, parseDuration, parsed } from './variable.js';

const neverListed = [22, 2_375, 2_376, 8_443];

/** Detection of ports of workspaces, and previews of them. */
export const portVariables = {
  scan: {
    isEnabled: flag('PORT_SCAN_ENABLED', 'true', 'Whether the node scans for ports'),
    intervalMs: duration('PORT_SCAN_INTERVAL', '5s', 'Interval of port scans', 100),
    excluded: parsed<ReadonlySet<number>>(
      [
        'PORT_SCAN_EXCLUDE',
        'none',
        "Further ports that are not listed, separated by commas; 22, 2375, 2376, 8443 and the agent's own never are",
      ],
      'ports such as 3000,8080, or none',
      excludedPorts,
    ),
    ephemeralMin: integer(
      ['PORT_SCAN_EPHEMERAL_MIN', '32768', 'Lowest port that is not listed as ephemeral'],
      {
        min: 1,
        max: 65_536,
      },
    ),
  },
  connectTimeoutMs: duration(
    'PORT_PROXY_CONNECT_TIMEOUT',
    '5s',
    'Timeout of connecting to a service of a workspace',
  ),
  headerTimeoutMs: duration('PORT_PROXY_HEADER_TIMEOUT', '2m', 'Timeout of the first byte of its response'),
  publicScheme: oneOf(
    [
      'WORKSPACE_URL_SCHEME',
      'https',
      'Scheme that people use; http when the proxy in front of the node offers http',
    ],
    ['https', 'http'],
  ),
  sessions: {
    lifetimeMs: parsed(
      ['SESSION_TTL', '24h', "Lifetime of a preview's cookie"],
      'a duration longer than 0 and of at most 24h',
      sessionLife,
    ),
    limit: integer(
      ['SESSION_MAX_COUNT', '100', 'Most valid preview cookies; a new one replaces the oldest'],
      {
        min: 1,
        max: 10_000,
      },
    ),
  },
};

function excludedPorts(given: string): ReadonlySet<number> | undefined {
  const ports = given === 'none' ? [] : given.split(',').map((part) => Number(part.trim() || 'none'));
  const areGood = ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535);
  return areGood ? new Set([...neverListed, ...ports]) : undefined;
}

function sessionLife(given: string): number | undefined {
  const ms = parseDuration(given);
  return ms !== null && ms > 0 && ms <= 24 * 3_600_000 ? ms : undefined;
}

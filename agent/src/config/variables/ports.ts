import { parseDuration } from '../duration.js';
import { duration, flag, integer, oneOf, parsed } from '../variable.js';

const neverListed = [22, 2_375, 2_376, 8_443];

/** Which ports of workspaces are looked for, and how people come to them. */
export const portVariables = {
  scan: {
    isEnabled: flag('PORT_SCAN_ENABLED', 'true', 'Whether ports are looked for'),
    intervalMs: duration('PORT_SCAN_INTERVAL', '5s', 'How often they are', 100),
    excluded: parsed<ReadonlySet<number>>(
      [
        'PORT_SCAN_EXCLUDE',
        'none',
        "Ports that are not listed, with commas, beside 22, 2375, 2376, 8443 and the agent's own",
      ],
      'ports such as 3000,8080, or none',
      excludedPorts,
    ),
    ephemeralMin: integer(['PORT_SCAN_EPHEMERAL_MIN', '32768', 'From here on ports are not listed'], {
      min: 1,
      max: 65_536,
    }),
  },
  connectTimeoutMs: duration('PORT_PROXY_CONNECT_TIMEOUT', '5s', 'Connecting to a service of a workspace'),
  headerTimeoutMs: duration('PORT_PROXY_HEADER_TIMEOUT', '2m', 'Waiting for its answer to begin'),
  publicScheme: oneOf(
    ['WORKSPACE_URL_SCHEME', 'https', 'http where a proxy in front of the node speaks it to people'],
    ['https', 'http'],
  ),
  sessions: {
    lifetimeMs: parsed(
      ['SESSION_TTL', '24h', "Life of a preview's cookie"],
      'a duration longer than 0 and of at most 24h',
      sessionLife,
    ),
    limit: integer(['SESSION_MAX_COUNT', '100', "Previews' cookies at a time; the oldest make way"], {
      min: 1,
      max: 10_000,
    }),
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

import { duration, flag, integer, parsed } from '../variable.js';

const neverListed = [22, 2_375, 2_376, 8_443];

/** Which ports of workspaces are looked for. */
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
};

function excludedPorts(given: string): ReadonlySet<number> | undefined {
  const ports = given === 'none' ? [] : given.split(',').map((part) => Number(part.trim() || 'none'));
  const areGood = ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535);
  return areGood ? new Set([...neverListed, ...ports]) : undefined;
}

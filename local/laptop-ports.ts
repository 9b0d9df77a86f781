import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { LaptopError } from './laptop-error.js';
import { isPortFree } from './processes/ports.js';

const defaultPort = 8787;

const Ports = z.object({ front: z.int(), emulator: z.int(), ec2: z.int(), codeHost: z.int() });
export type LaptopPorts = Readonly<z.infer<typeof Ports>>;

/**
 * Four ports in a row from the front's on: the deployed functions know them, so they must stay the
 * same.
 */
export const portsFrom = (front: number): LaptopPorts => ({
  front,
  emulator: front + 1,
  ec2: front + 2,
  codeHost: front + 3,
});

interface Asked {
  /** BERTH_PORT. */
  readonly text: string | undefined;
  readonly stateDir: string;
}

/**
 * The port of the front: that of the state, whose functions, queues and nodes know no other; else
 * the one that is asked for.
 *
 * @throws {LaptopError} another one is asked for
 */
export function frontPort({ text, stateDir }: Asked): number {
  const asked = text ? parsePort(text) : undefined;
  const own = portOfState(stateDir);
  if (own === undefined || asked === own) return asked ?? own ?? defaultPort;
  if (asked === undefined) return own;
  throw new LaptopError(
    `The state in ${stateDir} was made at port ${own}, and its functions, queues and nodes know no other. ` +
      `Start it without BERTH_PORT, start a second cloud with BERTH_STATE_DIR=<folder> BERTH_PORT=${asked} npm start, ` +
      'or delete the state with npm run reset.',
  );
}

const fileIn = (stateDir: string) => join(stateDir, 'ports.json');

/** From now on the state has these ports. */
export function keepPorts(stateDir: string, ports: LaptopPorts): void {
  writeFileSync(fileIn(stateDir), JSON.stringify(ports));
}

/** Undefined before the state was deployed. */
function portOfState(stateDir: string): number | undefined {
  const file = fileIn(stateDir);
  return existsSync(file) ? Ports.parse(JSON.parse(readFileSync(file, 'utf8'))).front : undefined;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1024 && port <= 65_000) return port;
  throw new LaptopError(
    `BERTH_PORT must be a whole number from 1024 to 65000, and is ${JSON.stringify(text)}.`,
  );
}

/** @throws {LaptopError} naming the first port that something else holds, and what to do */
export async function claimPorts(ports: LaptopPorts): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    if (await isPortFree(port)) continue;
    throw new LaptopError(
      `Port ${port} (${name}) is taken by another program. End that program, or choose four other ports in a row: BERTH_PORT=9000 npm start`,
    );
  }
}

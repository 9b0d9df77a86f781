import { LaptopError } from './laptop-error.js';
import { isPortFree } from './processes/ports.js';

const defaultPort = 8787;

export interface LaptopPorts {
  readonly front: number;
  readonly emulator: number;
  readonly ec2: number;
  readonly codeHost: number;
}

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

export function parsePort(text: string | undefined): number {
  if (text === undefined || text === '') return defaultPort;
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

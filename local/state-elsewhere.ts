import { DescribeTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import type { Aws } from './aws.js';
import type { Outputs } from './deployment/outputs.js';
import type { EmulatorState } from './emulator/emulator.js';
import { LaptopError } from './laptop-error.js';

/**
 * The state of an emulator that somebody else runs: whether it still has what was deployed there
 * last.
 * @throws {LaptopError} when nothing answers there
 */
export async function stateElsewhere(aws: Aws, last: Outputs | undefined): Promise<EmulatorState> {
  try {
    // Without an earlier deployment the call still shows whether the emulator answers.
    await aws.dynamo.send(new DescribeTableCommand({ TableName: last?.TableName ?? 'berth-none' }));
    return 'kept';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return last ? 'lost' : 'new';
    throw new LaptopError(
      `AWS_ENDPOINT_URL is ${aws.endpoint}, and no AWS emulator answers there (${String(error)}). Start it, or unset the variable: then one is started for you. If it has a key of its own, name the file of that key in BERTH_KEYS_FILE.`,
    );
  }
}

export const openEmulator =
  'Warning: the emulator of AWS_ENDPOINT_URL takes calls without a key. While it runs, any web page that you visit can run programs as its user and read every secret in it. See docs/laptop.md, "An emulator of your own".';

/** Whether it takes a call that nobody signed. */
export async function servesAnybody(endpoint: string): Promise<boolean> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  return (await fetch(endpoint, { method: 'POST', headers, body })).ok;
}

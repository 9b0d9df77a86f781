import { run } from '../run.mjs';

/** A problem with a known cause: its message is all that a person needs. */
export class Stop extends Error {}

/** Runs a tool to its end. @throws {Stop} when it fails */
export async function runTool(tool: string, args: readonly string[]): Promise<void> {
  const code = await run(tool, args);
  if (code !== 0) throw new Stop(`${tool} ended with exit code ${code}.`);
}

export const runScript = (script: string, args: readonly string[] = []): Promise<void> =>
  runTool('tsx', [`scripts/${script}`, ...args]);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpHarness } from './acp-harness/acp-harness.js';
import { startCloud, type TestCloud } from './cloud.js';

type CloudOptions = Parameters<typeof startCloud>[0];

interface HarnessCloudOptions extends Omit<CloudOptions, 'docker'> {
  /** Where the harness keeps its conversations, if they are in the home of its workspace. */
  readonly sessionsFolder?: string;
}

export interface HarnessCloud extends AsyncDisposable {
  /** Of the harness; tests may put files of their own there. */
  readonly folder: string;
  readonly harness: AcpHarness;
  readonly started: TestCloud;
}

/**
 * One person does what many do. Clouds of the same context are copies of one deployment, so those
 * of nemeses have this one if they can.
 */
export const contextOfMany = { limitFactor: '1000', maxNodesPerUser: '40' } as const;

/** A laptop cloud whose agents of Claude Code are processes that do as their prompt asks. */
export async function startHarnessCloud({
  sessionsFolder,
  nodeEnv,
  ...options
}: HarnessCloudOptions): Promise<HarnessCloud> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'berth-harness-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const harness = await AcpHarness.make(folder, {}, sessionsFolder);
  const started = stack.use(
    await startCloud({
      ...options,
      docker: false,
      nodeEnv: { ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }), ...nodeEnv },
    }),
  );
  const owned = stack.move();
  return { folder, harness, started, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

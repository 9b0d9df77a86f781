import { BuildFailed, BuildNeedsBuildKit } from './build-output.js';
import type { BuildKitNode } from './buildkit-node.js';
import type { CliRun, DevcontainerCli } from './devcontainer-cli.js';

interface BuildImageDeps {
  readonly cli: DevcontainerCli;
  readonly buildKit: BuildKitNode;
}

/**
 * Runs a build of the tool with the classic builder, which gives each build a network of its own.
 * When a Dockerfile needs BuildKit, runs it once more with BuildKit, where the machine can.
 * @throws BuildFailed
 */
export async function buildImage(
  { cli, buildKit }: BuildImageDeps,
  args: readonly string[],
  run: CliRun,
): Promise<void> {
  const need = await cli.run(args, run).then(
    () => null,
    (error: unknown) => {
      if (error instanceof BuildNeedsBuildKit) return error;
      throw error;
    },
  );
  if (need === null) return;
  const obstacle = await buildKit.obstacle(run.place);
  if (obstacle !== null)
    throw new BuildFailed(`${need.message}. BuildKit is off: ${obstacle}`, need.output, { cause: need });
  run.onOutput(Buffer.from('The build needs BuildKit, and starts again with it.\n'));
  await buildKit.use(run, async (builder) => {
    run.signal.throwIfAborted();
    await cli.run(args, { ...run, buildKit: builder });
  });
}

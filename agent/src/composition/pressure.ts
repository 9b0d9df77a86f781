import { existsSync } from 'node:fs';
import { exhaustedPercent } from '../node/resource-diagnostics.js';
import { DiskMonitor } from '../pressure/disk-monitor.js';
import { MemoryMonitor } from '../pressure/memory-monitor.js';
import { PressureEvents } from '../pressure/pressure-events.js';
import { ResourceGuard } from '../pressure/resource-guard.js';
import { raiseTools } from '../pressure/tool-scores.js';
import { findControlGroup } from '../resource-history/control-group.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceServices } from './workspaces.js';

/** The resource guard; null in the standalone role, which has no containers. */
export function composePressure(
  { config, engine, log }: Foundation,
  { containers }: Pick<WorkspaceServices, 'containers'>,
): ResourceGuard | null {
  if (!engine || !containers) return null;
  const { nodeId, pressure } = config;
  const { watch, metrics, kills } = containers;
  const guard = new ResourceGuard(pressure, {
    memory: new MemoryMonitor(pressure, log),
    disk: new DiskMonitor(exhaustedPercent, {
      folder: dataFolder(engine),
      cleanUp: () => cleanUp(engine, config),
      now: () => performance.now(),
      log,
    }),
    events: new PressureEvents(pressure.eventBufferSize, log),
    sampleContainers: async (signal) => {
      const uses = await metrics.sample(nodeId, signal);
      for (const { id } of uses) {
        kills.read(id);
        raiseTools(findControlGroup(id)?.processes() ?? []);
      }
      return uses;
    },
    now: () => new Date(),
    log,
  });
  watch.onOom({
    killed: (containerId) => kills.killed(containerId),
    died: (death) => {
      kills.killed(death.containerId);
      guard.containerDied(death);
    },
  });
  return guard;
}

/** A younger image may be that of a workspace whose container is not created yet. */
const oldImageMs = 3_600_000;

async function cleanUp({ images }: DockerEngine, { workspaces }: Foundation['config']): Promise<void> {
  // A laptop: the images may be those of its person.
  const isShared = workspaces.loopbackAlias !== null;
  const before = new Date(Date.now() - oldImageMs);
  try {
    await images.removeUnused();
  } finally {
    // An engine that cannot clean its cache of builds may still remove images.
    if (!isShared) await images.removeOld({ before, kept: workspaces.defaultImage });
  }
}

/** The folder of the engine's data, asked once; null when it is on another machine. */
function dataFolder({ docker }: DockerEngine): () => Promise<string | null> {
  let folder: string | null | undefined;
  return async () => {
    if (folder === undefined) {
      // The types of the client lack the field.
      const { DockerRootDir }: { DockerRootDir?: string } = await docker.info();
      folder = DockerRootDir !== undefined && existsSync(DockerRootDir) ? DockerRootDir : null;
    }
    return folder;
  };
}

import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DockerEngine } from '../container/docker-engine.js';
import { labels } from '../container/docker-names.js';
import { endMarkedProcesses } from '../marked-processes.js';
import { removeCacheMounts } from './buildkit-cache.js';
import { buildMarker } from './devcontainer-cli.js';

const traceLine = /---> ([0-9a-f]{12})\s*$/gm;

/** Folders, images and processes that builds of a workspace leave on this machine. */
export class BuildArtifacts {
  constructor(
    private readonly folder: string,
    private readonly engine: DockerEngine,
  ) {}

  /** The folder of one workspace. */
  folderOf(workspaceId: string): string {
    return join(this.folder, workspaceId);
  }

  /** Name of the images built for a workspace; each build has its own tag. */
  imageName(workspaceId: string): string {
    return `svc-ws-${workspaceId.toLowerCase()}`;
  }

  /** Ends what a killed build left running, and creates empty folders. */
  async prepare(workspaceId: string): Promise<{ readonly folder: string; readonly engineFolder: string }> {
    await endMarkedProcesses({ name: buildMarker, value: workspaceId });
    await this.removeWorkFiles(workspaceId);
    const folder = join(this.folderOf(workspaceId), 'work');
    const engineFolder = join(this.folderOf(workspaceId), 'engine');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { folder, engineFolder };
  }

  async removeWorkFiles(workspaceId: string): Promise<void> {
    const options = { recursive: true, force: true, maxRetries: 3 };
    for (const name of ['work', 'engine']) await rm(join(this.folderOf(workspaceId), name), options);
  }

  /**
   * Records the layers that the classic builder prints, because it does not label them. On disk,
   * for the cleanup after a crash.
   */
  trace(workspaceId: string, output: string): void {
    const ids = [...output.matchAll(traceLine)].map(([, id]) => `${id}\n`);
    if (ids.length > 0) appendFileSync(this.traceFile(workspaceId), ids.join(''), { mode: 0o600 });
  }

  /** Removes the images built for the workspace, except the one in use. */
  async removeImages(workspaceId: string, kept: string | null): Promise<void> {
    const names = await this.engine.images.tags([
      this.imageName(workspaceId),
      `vsc-${workspaceId.toLowerCase()}-*`,
    ]);
    for (const name of names) if (name !== kept) await this.engine.images.remove(name);
    if (kept === null) await this.removeTraced(workspaceId);
  }

  /** Ends running builds and removes everything that was built. */
  async remove(workspaceId: string): Promise<void> {
    await endMarkedProcesses({ name: buildMarker, value: workspaceId });
    await this.removeImages(workspaceId, null);
    // A pushed cache image still has its digest as a name.
    await this.engine.images.removeLabelled(labels.workspace, workspaceId);
    await removeCacheMounts(this.engine.docker, workspaceId);
    await rm(this.folderOf(workspaceId), { recursive: true, force: true, maxRetries: 3 });
  }

  private async removeTraced(workspaceId: string): Promise<void> {
    const text = await readFile(this.traceFile(workspaceId), 'utf8').catch(() => '');
    const ids = new Set(text.split('\n').filter(Boolean).reverse());
    for (const id of ids) await this.engine.images.removeUntagged(id);
    await rm(this.traceFile(workspaceId), { force: true });
  }

  private traceFile(workspaceId: string): string {
    return join(this.folderOf(workspaceId), 'layers');
  }
}

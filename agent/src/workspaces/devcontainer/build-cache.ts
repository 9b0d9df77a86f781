import type { DockerImages, RegistryLogin } from '../container/docker-images.js';
import type { ProvisionContext } from '../runtime.js';
import type { Workspace } from '../workspace.js';

const step = 'devcontainer_cache';

/**
 * The cache image of a repository: pulled before a build, pushed after it. A failure here does not
 * fail the build.
 */
export class BuildCache implements AsyncDisposable {
  private readonly cache = new Map<
    string,
    { readonly controller: AbortController; readonly done: Promise<void> }
  >();

  constructor(
    private readonly images: DockerImages,
    private readonly timeoutMs: number,
  ) {}

  async fetch({ settings }: Workspace, { signal, report }: ProvisionContext): Promise<void> {
    const cache = settings.devcontainerCache;
    if (!cache) return;
    const message = `Pulling cache image ${cache.ref}`;
    report({ step, status: 'started', message });
    try {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(this.timeoutMs)]);
      await this.images.pull(cache.ref, { signal: bounded, login: loginOf(cache) });
      report({ step, status: 'completed', message });
    } catch (error) {
      signal.throwIfAborted();
      report({ step, status: 'failed', message, detail: reason(error) });
    }
  }

  /** Pushes the image in the background. */
  begin({ workspaceId, settings }: Workspace, image: string, { report }: ProvisionContext): void {
    const cache = settings.devcontainerCache;
    if (!cache) return;
    const controller = new AbortController();
    const done = this.push(image, cache, controller.signal)
      .then(() => report({ step, status: 'completed', message: `Pushed cache image ${cache.ref}` }))
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        report({
          step,
          status: 'failed',
          message: `Pushing cache image ${cache.ref}`,
          detail: reason(error),
        });
      })
      .finally(() => this.cache.delete(workspaceId));
    this.cache.set(workspaceId, { controller, done });
  }

  /** Aborts the push of the workspace. */
  async end(workspaceId: string): Promise<void> {
    const push = this.cache.get(workspaceId);
    push?.controller.abort(new Error('Workspace stopped'));
    await push?.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.cache.keys()].map((workspaceId) => this.end(workspaceId)));
  }

  private async push(image: string, cache: Cache, ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(this.timeoutMs)]);
    await this.images.tag(image, cache.ref);
    try {
      await this.images.push(cache.ref, { signal, login: loginOf(cache) });
    } finally {
      await this.images.remove(cache.ref);
    }
  }
}

type Cache = NonNullable<Workspace['settings']['devcontainerCache']>;

function loginOf({ registry, username, password, ref }: Cache): RegistryLogin | null {
  if (!username || !password) return null;
  return { username, password, serveraddress: registry ?? ref.split('/')[0] ?? '' };
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

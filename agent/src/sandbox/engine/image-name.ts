export interface NameScope {
  readonly workspaceId: string;
}

interface ImageName {
  /** Host of the registry, with its port. */
  readonly registry: string;
  readonly repository: string;
}

const dockerHub = 'docker.io';
/** Names of Docker Hub. The engine itself maps only the second to the first. */
const hubAliases = new Set([dockerHub, 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);
const form = /^([A-Za-z0-9][A-Za-z0-9._:/-]*?)(?::([\w][\w.-]{0,127}))?(?:@[a-z0-9]+:[0-9a-fA-F]{32,})?$/;
const component = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/;
/** The engine takes such a name, without a tag, for the beginning of any image's id. */
const idPrefix = /^[0-9a-f]+$/;

/**
 * Registry and repository of an image name, as the engine reads it. Null for names that are not
 * valid, and for ids of images.
 */
export function parseImageName(name: string): ImageName | null {
  const [, path = '', tag] = form.exec(name) ?? [];
  const [registry, components] = split(path);
  const repository = components.join('/');
  const isId = repository === 'sha256' || (tag === undefined && idPrefix.test(path));
  if (isId || !components.every((part) => component.test(part))) return null;
  if (!hubAliases.has(registry)) return { registry, repository };
  return { registry: dockerHub, repository: repository.replace(/^library\//, '') };
}

/** The name with its registry and tag, as BuildKit writes it. */
export function canonicalName(name: string): string {
  const [path = '', digest] = name.split('@');
  const [host, components] = split(path);
  const registry = host === 'index.docker.io' ? dockerHub : host;
  const folder = registry === dockerHub && components.length === 1 ? 'library/' : '';
  const isTagged = components.at(-1)?.includes(':') || digest !== undefined;
  return `${registry}/${folder}${components.join('/')}${isTagged ? '' : ':latest'}${digest ? `@${digest}` : ''}`;
}

/** The first part is a registry when it looks like a host. */
function split(path: string): readonly [registry: string, components: readonly string[]] {
  const [first = '', ...rest] = path.split('/');
  const isHost = /[.:]/.test(first) || first.toLowerCase() === 'localhost';
  return isHost && rest.length > 0 ? [first.toLowerCase(), rest] : [dockerHub, [first, ...rest]];
}

/** Whether an image may get this name: the agent removes such images with the workspace. */
export function isOwnName(name: string, { workspaceId }: NameScope): boolean {
  const id = workspaceId.toLowerCase();
  const repository = name.replace(/:[\w.-]+$/, '');
  return repository === `svc-ws-${id}` || repository.startsWith(`vsc-${id}-`);
}

/** Whether a run may read the image: any image but those of other workspaces. */
export function isReadableName(name: string, scope: NameScope): boolean {
  const parsed = parseImageName(name);
  if (parsed === null) return false;
  const { registry, repository } = parsed;
  const isBuilt = registry === dockerHub && /^(?:svc-ws|vsc)-/.test(repository);
  return !isBuilt || isOwnName(repository, scope);
}

export function isDockerHub({ registry }: ImageName): boolean {
  return registry === dockerHub;
}

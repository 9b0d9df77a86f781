export interface NameScope {
  readonly workspaceId: string;
}

/** The tool's own name for the features of the build that goes on. */
export const featuresImage = 'dev_container_feature_content_temp';

/** Whether an image may get the name: the agent removes images with these names together with the workspace. */
export function isOwnName(name: string, { workspaceId }: NameScope): boolean {
  const id = workspaceId.toLowerCase();
  const repository = name.replace(/:[\w.-]+$/, '');
  return repository === featuresImage || repository === `svc-ws-${id}` || repository.startsWith(`vsc-${id}-`);
}

/** Whether a run may read the image: any but those of other workspaces. */
export function isReadableName(name: string, scope: NameScope): boolean {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/.test(name)) return false;
  const local = name.replace(/^docker\.io\//, '').replace(/^library\//, '');
  return !/^(?:svc-ws|vsc)-/.test(local) || isOwnName(local, scope);
}

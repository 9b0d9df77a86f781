export interface UrlParts {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly nodeUrl: string;
}

/** Where clients reach a workspace; the template is the deployment's. DNS names carry ids in lower case. */
export function workspaceUrl(template: string, { workspaceId, nodeId, nodeUrl }: UrlParts): string {
  return template
    .replaceAll('{workspaceId}', workspaceId.toLowerCase())
    .replaceAll('{nodeId}', nodeId.toLowerCase())
    .replaceAll('{nodeUrl}', nodeUrl);
}

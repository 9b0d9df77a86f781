/** A service of a workspace that has a host of its own. */
interface PreviewHost {
  readonly workspaceId: string;
  readonly port: number;
}

const pattern = /^ws-([0-9a-hjkmnp-tv-z]{26})--([1-9]\d{0,4})(?=[.:]|$)/i;

/** The service that a Host header names as `ws-<workspaceId>--<port>.<domain>`, or null. */
export function parsePreviewHost(host: string | undefined): PreviewHost | null {
  const [, workspaceId, port] = pattern.exec(host ?? '') ?? [];
  if (workspaceId === undefined || Number(port) > 65_535) return null;
  return { workspaceId: workspaceId.toUpperCase(), port: Number(port) };
}

/** The first label of a service's host. DNS names have ids in lower case. */
export const previewLabel = ({ workspaceId, port }: PreviewHost): string =>
  `ws-${workspaceId.toLowerCase()}--${port}`;

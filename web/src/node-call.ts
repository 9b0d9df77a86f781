import { Api, type Call } from './api.js';
import { ApiError } from './api-error.js';
import { nodeUnreachable } from './node-advice.js';
import type { TerminalToken } from './records.js';

/** A node that refuses the token does not end the session of the person. */
const node = new Api(() => undefined);

interface AtWorkspace<T> extends Call<T> {
  readonly workspaceId: string;
  /** Behind the address of the workspace, with its query. */
  readonly path: string;
}

/** Asks the node of a workspace itself for what the control plane does not answer. */
export function callNode<T>(
  { token, workspaceUrl }: TerminalToken,
  { workspaceId, path, ...call }: AtWorkspace<T>,
): Promise<T> {
  const url = new URL(`/workspaces/${workspaceId}/${path}`, workspaceUrl);
  return node
    .call(url.href, { ...call, headers: { authorization: `Bearer ${token}` } })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'UNREACHABLE') throw nodeUnreachable(url);
      throw error;
    });
}

import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Transfer } from '../../../protocol/workspace-files.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { workspaceCaller } from '../auth/workspace-caller.js';
import { isPlainPath } from '../files/uploads.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Workspaces } from '../workspaces/workspaces.js';

const Params = z.object({ workspaceId: Ulid });
const TokenQuery = z.object({
  token: z.optional(z.string()),
  // Wrong ones are told to whoever may know, which is not clear yet.
  path: z.catch(z.optional(z.string()), undefined),
  worktree: z.catch(z.optional(z.string()), undefined),
});

/** A path as callers may give it; where it leads is checked in the workspace. */
export const Path = z
  .string()
  .check(z.refine(isPlainPath, 'A path without NUL and "..", of 1 to 4096 characters'));
export const Flag = z._default(z.stringbool(), false);
/** Never read as an option by git, and never a range of two. */
export const Revision = z.string().check(
  z.maxLength(250),
  z.regex(/^[A-Za-z0-9_][\w./~^@+-]*$/, 'A branch, tag or commit'),
  z.refine((text) => !text.includes('..'), 'One revision, not two'),
);

export interface Admission {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
}

/** The running workspace of the address, once it is clear that the caller may use it; `transfer` where whole files go. */
export async function admit(
  request: FastifyRequest,
  { tokens, workspaces }: Admission,
  transfer?: Transfer,
): Promise<Workspace> {
  const find = (id: string) => workspaces.running(id);
  const { workspaceId } = await admitTo(request, { tokens, find, transfer });
  return workspaces.running(workspaceId);
}

interface Door {
  readonly tokens: TokenChecks;
  readonly find: (workspaceId: string) => Workspace | null;
  readonly transfer?: Transfer | undefined;
}

/** The workspace that the address names, and who asks: null for the control plane. Whether it is here is not looked at. */
export async function admitTo(
  request: FastifyRequest,
  { tokens, find, transfer }: Door,
): Promise<{ readonly workspaceId: string; readonly userId: string | null }> {
  const { workspaceId } = Params.parse(request.params);
  const { token, path, worktree } = TokenQuery.parse(request.query);
  const caller = {
    headers: request.headers,
    queryToken: token ?? null,
    workspaceId,
    transfer: transfer && { transfer, path, worktree },
  };
  return { workspaceId, userId: await workspaceCaller(tokens, caller, find) };
}

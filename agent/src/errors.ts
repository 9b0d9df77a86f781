import type { NodeErrorCode } from '../../protocol/node-api.js';

export interface AgentErrorOptions extends ErrorOptions {
  /** Further fields of the response. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * An error whose code and message the caller sees. Any other error is a bug: the caller sees a
 * plain 500.
 */
export class AgentError extends Error {
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: NodeErrorCode,
    message: string,
    options: AgentErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'AgentError';
    this.extra = options.extra ?? {};
  }
}

export const statusOfError: Readonly<Record<NodeErrorCode, number>> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  invalid_request: 400,
  invalid_transition: 409,
  workspace_conflict: 409,
  workspace_not_creatable: 409,
  stale_generation: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  worktree_conflict: 409,
  worktree_dirty: 409,
  worktree_limit: 422,
  insufficient_storage: 507,
  unsupported_protocol_version: 400,
  operation_id_conflict: 409,
  session_conflict: 409,
  session_busy: 409,
  session_not_running: 409,
  session_create_failed: 409,
  snapshot_failed: 502,
  changed_since_snapshot: 409,
  timed_out: 504,
  not_implemented: 501,
  bad_gateway: 502,
  unavailable: 503,
  internal: 500,
};

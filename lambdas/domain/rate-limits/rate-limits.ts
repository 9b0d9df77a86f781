export interface RateLimit {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

const hour = 60 * 60;

/** Fixed windows, counted in the table; the identifier is a user id unless it says IP. */
export const rateLimits = {
  WORKSPACE_CREATE: { name: 'WORKSPACE_CREATE', limit: 30, windowSeconds: hour },
  TERMINAL_TOKEN: { name: 'TERMINAL_TOKEN', limit: 60, windowSeconds: hour },
  CREDENTIAL_UPDATE: { name: 'CREDENTIAL_UPDATE', limit: 30, windowSeconds: hour },
  /** Task, or agent session without one. */
  MCP: { name: 'MCP', limit: 120, windowSeconds: 60 },
  /** Workspace: tokens minted at the code host, and checks of its owner's access. */
  GIT_TOKEN: { name: 'GIT_TOKEN', limit: 1, windowSeconds: 60 },
  /** IP. */
  SIGN_IN: { name: 'SIGN_IN', limit: 10, windowSeconds: 60 },
  /** IP. */
  BOOTSTRAP: { name: 'BOOTSTRAP', limit: 10, windowSeconds: 60 },
} as const satisfies Record<string, RateLimit>;

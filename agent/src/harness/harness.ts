import type {
  ContentBlock,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { AgentType, McpServer } from '../../../protocol/agent-sessions.js';
import type { Workspace } from '../workspaces/workspace.js';

/** What one run of a coding agent in a workspace is to be. */
export interface HarnessRequest {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly agentType: AgentType;
  /** As the workspace sees it; null is the repository. */
  readonly workDir: string | null;
  readonly settings: HarnessSettings;
  readonly mcpServers: readonly McpServer[];
  /** Whose usage is reported; absent: nobody's. */
  readonly projectId?: string | null;
  /**
   * `new`: a session of its own. `load`: exactly this earlier session, and proof that the harness really has it; a fresh
   * session never takes its place.
   */
  readonly session: { readonly mode: 'new' } | { readonly mode: 'load'; readonly acpSessionId: string };
}

/** What the request that started the session asked for; null leaves it to the workspace's settings. */
export interface HarnessSettings {
  readonly model: string | null;
  readonly permissionMode: string | null;
  readonly effort: string | null;
  readonly opencodeProvider: string | null;
  readonly opencodeBaseUrl: string | null;
}

/** Whoever runs a harness hears from it in the harness's own order; the next call waits until a promise is settled. */
export interface HarnessListener {
  /** Not called for the history that a harness repeats while it loads a session. */
  onUpdate(notification: SessionNotification): void | Promise<void>;
  /** @param permissionMode what the start asked for or, where it said nothing, the person has set */
  onPermission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
    permissionMode: string | null,
  ): Promise<RequestPermissionResponse>;
  onStatus(status: 'installing' | 'starting'): void;
}

/** A running coding agent with its one ACP session. */
export interface Harness {
  readonly acpSessionId: string;
  /** Whether the session could be loaded again by another run. */
  readonly canLoad: boolean;
  /** Whether `session/cancel` ends a turn; where not, the process has to be stopped. */
  readonly canCancel: boolean;
  /**
   * One turn. All its updates have been heard before this settles.
   * @throws HarnessError
   */
  prompt(blocks: readonly ContentBlock[]): Promise<{ readonly stopReason: StopReason }>;
  /** Tells the harness to end the turn (`session/cancel`); the turn then ends by itself. */
  cancel(): Promise<void>;
  /** `session/close`, best effort. */
  close(signal: AbortSignal): Promise<void>;
  /** Ends the process and all it started: end of input, TERM, KILL. Settles once it is gone; may be called again. */
  stop(): Promise<HarnessExit>;
  readonly exited: Promise<HarnessExit>;
}

export interface HarnessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of what it said, redacted. */
  readonly stderr: string;
  readonly isStderrTruncated: boolean;
  readonly livedMs: number;
  /** True when `stop` was asked before it ended. */
  readonly isIntended: boolean;
}

export interface Harnesses {
  /**
   * Installs the harness where it is missing, starts it and opens or loads its session. Aborting ends what was begun.
   * @throws HarnessError
   */
  start(request: HarnessRequest, listener: HarnessListener, signal: AbortSignal): Promise<Harness>;
}

/** Why a harness did not do what it was asked; the message may be shown, secrets are redacted from it. */
export class HarnessError extends Error {
  constructor(
    readonly kind: HarnessErrorKind,
    message: string,
    readonly detail: {
      readonly stderr?: string;
      readonly isStderrTruncated?: boolean;
      /** Stable classification for reports, '' when unknown. */
      readonly code?: HarnessFailureCode;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: detail.cause });
    this.name = 'HarnessError';
  }
}

export type HarnessErrorKind =
  /** No credential, not installable, unknown: asking again changes nothing. */
  | 'not_startable'
  /** It ended while it was starting. */
  | 'crashed_at_start'
  /** The session to load was not there, or the harness could not prove it. */
  | 'not_loaded'
  /** The connection broke or the process ended within a turn. */
  | 'crashed'
  /** The model's provider is overloaded or away; the same prompt may succeed later. */
  | 'transient'
  /** The harness answered the turn with any other error. */
  | 'failed';

export type HarnessFailureCode =
  | ''
  | 'model_unavailable'
  | 'unsupported_loopback_auth'
  | 'mcp_endpoint_needs_auth'
  | 'model_provider_credential_rejected'
  | 'provider_overloaded'
  | 'agent_crash'
  | 'network_error';

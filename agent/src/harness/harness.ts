import type {
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { AgentType, McpServer } from '../../../protocol/agent-sessions.js';
import type { Notice } from '../conversation/notice.js';
import type { Workspace } from '../workspaces/workspace.js';

/** Request to start a coding agent in a workspace. */
export interface HarnessRequest {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly agentType: AgentType;
  /** Path inside the workspace; null is the repository. */
  readonly workDir: string | null;
  readonly settings: HarnessSettings;
  readonly mcpServers: readonly McpServer[];
  /** Project of the usage report. Without one, usage is not reported. */
  readonly projectId?: string | null;
  readonly chatSessionId?: string | null;
  readonly taskId?: string | null;
  /** Requests that the agent may show to people, beside permissions. */
  readonly elicitation?: { readonly form: boolean; readonly url: boolean };
  /** `load` opens exactly this session and verifies it. A new session never replaces it. */
  readonly session: { readonly mode: 'new' } | { readonly mode: 'load'; readonly acpSessionId: string };
}

/** Settings of the start request. Null falls back to the settings of the workspace. */
export interface HarnessSettings {
  readonly model: string | null;
  readonly permissionMode: string | null;
  readonly effort: string | null;
  readonly opencodeProvider: string | null;
  readonly opencodeBaseUrl: string | null;
}

/** Called in the order of the harness. The next call waits for a returned promise. */
export interface HarnessListener {
  /** Not called for the history that a harness replays while it loads a session. */
  onUpdate(notification: SessionNotification): void | Promise<void>;
  /** @param permissionMode of the start request, else of the settings of the person */
  onPermission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
    permissionMode: string | null,
  ): Promise<RequestPermissionResponse>;
  /** @param signal aborts with a `SettleReason`, as that of `onPermission` */
  onElicitation(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
  /** The person has done what an accepted link is for, such as a sign-in. */
  onElicitationCompleted(elicitationId: string): void;
  onStatus(status: 'installing' | 'starting'): void;
  /** Something that people have to know, such as a refused setting. */
  onNotice(notice: Notice): void;
  /** The number of tasks that the harness runs outside of turns, such as commands. */
  onBackgroundWork(count: number): void;
}

/** A running coding agent with its ACP session. */
export interface Harness {
  readonly acpSessionId: string;
  /** True when another process can load the session. */
  readonly canLoad: boolean;
  /** False when only stopping the process ends a turn. */
  readonly canCancel: boolean;
  /** The harness announces `session/close`. */
  readonly canClose: boolean;
  /**
   * Runs one turn. Settles after all its updates were delivered.
   * @throws HarnessError
   */
  prompt(blocks: readonly ContentBlock[]): Promise<{ readonly stopReason: StopReason }>;
  /** Sends `session/cancel`. `prompt` settles when the turn has ended. */
  cancel(): Promise<void>;
  /** Sends `session/close`. Ignores failures. */
  close(signal: AbortSignal): Promise<void>;
  /** Ends the process and its children: end of input, SIGTERM, SIGKILL. Idempotent. */
  stop(): Promise<HarnessExit>;
  readonly exited: Promise<HarnessExit>;
}

export interface HarnessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last lines of standard error, redacted. */
  readonly stderr: string;
  readonly isStderrTruncated: boolean;
  readonly livedMs: number;
  /** True when `stop` was called before the process ended. */
  readonly isIntended: boolean;
  /** In words, when the end followed a kill for lack of memory. */
  readonly outOfMemory?: string | null;
}

export interface Harnesses {
  /**
   * Installs the harness where it is missing, starts it and opens or loads its session.
   * @throws HarnessError
   */
  start(request: HarnessRequest, listener: HarnessListener, signal: AbortSignal): Promise<Harness>;
}

/** A failure of a harness. The message is redacted and may be shown. */
export class HarnessError extends Error {
  constructor(
    readonly kind: HarnessErrorKind,
    message: string,
    readonly detail: {
      readonly stderr?: string;
      readonly isStderrTruncated?: boolean;
      /** Stable code for reports; '' when unknown. */
      readonly code?: HarnessFailureCode;
      /** The conversation exceeds the context of the model. The interface has no code for it. */
      readonly isContextFull?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: detail.cause });
    this.name = 'HarnessError';
  }
}

export type HarnessErrorKind =
  /** No credential, not installable or unknown. A retry does not help. */
  | 'not_startable'
  /** The process ended during its start. */
  | 'crashed_at_start'
  /** The harness does not have the session, or cannot prove that it does. */
  | 'not_loaded'
  /** The connection or the process ended during a turn. */
  | 'crashed'
  /** The model provider is overloaded or unreachable. A retry may succeed. */
  | 'transient'
  /** The control plane does not answer. A later start may succeed. */
  | 'unavailable'
  /** Any other error of a turn. */
  | 'failed';

export type HarnessFailureCode =
  | ''
  | 'model_unavailable'
  | 'unsupported_loopback_auth'
  | 'mcp_endpoint_needs_auth'
  | 'model_provider_credential_rejected'
  | 'provider_overloaded'
  | 'agent_crash'
  /** The kernel killed the harness, or a process that it needs, for lack of memory. */
  | 'harness_out_of_memory'
  | 'network_error';

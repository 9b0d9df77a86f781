import type { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  type ContentBlock,
  client,
  type InitializeResponse,
  type ListSessionsResponse,
  type LoadSessionResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { SettleReason } from '../../../../protocol/interactions.js';
import type { ReportedWindow } from '../../../../protocol/usage-windows.js';
import { choose } from '../../interactions/acp-permissions.js';
import { agentVersion } from '../../node/agent-version.js';
import { withTimeout } from '../../shared/with-timeout.js';
import type { HarnessListener, HarnessRequest } from '../harness.js';
import { type BackgroundWorkLimits, backgroundTasksIn, sdkMessageMethod } from './background-work.js';
import { claudeLimitsIn } from './claude-limits.js';
import { OrderedStream } from './ordered-stream.js';
import { failureCapability } from './provider-failures.js';
import type { SeenToolCalls } from './seen-tool-calls.js';
import type { SessionUpdates } from './session-updates.js';
import type { WorkspaceTexts } from './workspace-texts.js';

/** Largest message of a harness. */
const maxLineBytes = 10 * 1_024 * 1_024;

export interface AcpTimeouts {
  readonly initializeMs: number;
  readonly newSessionMs: number;
  readonly loadSessionMs: number;
  readonly settingsMs: number;
  /** Set by ACP_NOTIF_SERIALIZE_TIMEOUT. */
  readonly serializeMs: number;
}

interface AcpConnectionDeps {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly listener: Pick<
    HarnessListener,
    'onPermission' | 'onElicitation' | 'onElicitationCompleted' | 'onBackgroundWork'
  >;
  readonly permissionMode: string | null;
  readonly elicitation: HarnessRequest['elicitation'];
  readonly toolCalls: SeenToolCalls;
  readonly updates: SessionUpdates;
  readonly texts: WorkspaceTexts;
  readonly timeouts: AcpTimeouts;
  readonly backgroundWork: BackgroundWorkLimits;
  /** The harness states the limits of its credential. */
  readonly onLimits: (windows: readonly ReportedWindow[]) => void;
}

/** A harness did not answer in time. */
export class AcpTimeout extends Error {
  override readonly name = 'AcpTimeout';
}

export interface SessionPlace {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  readonly _meta?: Record<string, unknown>;
}

/** The ACP methods that the agent uses, over standard input and output of one process. */
export class AcpConnection {
  private readonly connection: ClientConnection;

  constructor(private readonly deps: AcpConnectionDeps) {
    const { stdin, stdout, listener, toolCalls, updates, texts, timeouts, backgroundWork } = deps;
    const ordered = new OrderedStream({
      input: stdout,
      output: stdin,
      maxLineBytes,
      serializeTimeoutMs: timeouts.serializeMs,
      onArrival: (params) => toolCalls.observe(params),
      onUpdate: (params) => updates.take(params),
    });
    this.connection = client({ name: 'berth' })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        this.decide(params, signal),
      )
      .onRequest(methods.client.elicitation.create, ({ params, signal }) =>
        listener.onElicitation(params, withReason(signal)),
      )
      .onNotification(methods.client.elicitation.complete, ({ params }) =>
        listener.onElicitationCompleted(params.elicitationId),
      )
      .onRequest(methods.client.fs.readTextFile, ({ params }) => texts.read(params))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => texts.write(params))
      .onNotification(
        sdkMessageMethod,
        (params) => ({
          count: backgroundTasksIn(params, backgroundWork),
          limits: claudeLimitsIn(params, new Date()),
        }),
        ({ params: { count, limits } }) => {
          if (count !== null) listener.onBackgroundWork(count);
          if (limits.length > 0) deps.onLimits(limits);
        },
      )
      .connect(ordered.stream);
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.connection.closed;
  }

  get isClosed(): boolean {
    return this.connection.signal.aborted;
  }

  /** The error that closed the connection, if any. */
  get closeReason(): unknown {
    return this.connection.signal.reason;
  }

  /** The tools of the control plane work in every permission mode. */
  private async decide(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const { toolCalls, listener, permissionMode } = this.deps;
    if (toolCalls.isOwn(request)) return choose(request.options, ['allow_once', 'allow_always']);
    return listener.onPermission(toolCalls.titled(request), withReason(signal), permissionMode);
  }

  async initialize(): Promise<InitializeResponse> {
    const { form = false, url = false } = this.deps.elicitation ?? {};
    const request = {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'berth', version: agentVersion },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: false,
        ...(form || url ? { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } } : {}),
        // Without it, Codex sends no output of commands.
        _meta: { ...failureCapability, terminal_output_delta: true },
      },
    };
    const { initializeMs } = this.deps.timeouts;
    return this.ask<InitializeResponse>(methods.agent.initialize, request, initializeMs);
  }

  authenticate(methodId: string): Promise<unknown> {
    return this.ask(methods.agent.authenticate, { methodId }, this.deps.timeouts.settingsMs);
  }

  newSession(place: SessionPlace): Promise<NewSessionResponse> {
    return this.ask(methods.agent.session.new, place, this.deps.timeouts.newSessionMs);
  }

  loadSession(place: SessionPlace, sessionId: string): Promise<LoadSessionResponse | undefined> {
    const request = { ...place, sessionId };
    return this.ask(methods.agent.session.load, request, this.deps.timeouts.loadSessionMs);
  }

  listSessions(cwd: string, cursor: string | null): Promise<ListSessionsResponse> {
    const request = cursor === null ? { cwd } : { cwd, cursor };
    return this.ask(methods.agent.session.list, request, this.deps.timeouts.loadSessionMs);
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return this.ask(methods.agent.session.setMode, { sessionId, modeId }, this.deps.timeouts.settingsMs);
  }

  setOption(sessionId: string, configId: string, value: string): Promise<unknown> {
    const request = { sessionId, configId, value };
    return this.ask(methods.agent.session.setConfigOption, request, this.deps.timeouts.settingsMs);
  }

  /** Without a timeout: the caller limits the duration of a turn. */
  prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<PromptResponse> {
    const request = { sessionId, prompt: [...prompt] };
    return this.connection.agent.request<PromptResponse>(methods.agent.session.prompt, request);
  }

  cancel(sessionId: string): Promise<void> {
    return this.connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  close(sessionId: string): Promise<unknown> {
    return this.ask(methods.agent.session.close, { sessionId }, this.deps.timeouts.settingsMs);
  }

  /** Fails pending requests. */
  end(): void {
    this.connection.close();
  }

  private ask<Answer>(method: string, request: object, timeoutMs: number): Promise<Answer> {
    const answer = this.connection.agent.request<Answer>(method, request);
    return withTimeout(
      answer,
      timeoutMs,
      () => new AcpTimeout(`No answer to ${method} within ${timeoutMs} ms`),
    );
  }
}

/** Aborts with why the harness no longer waits for its answer. */
function withReason(signal: AbortSignal): AbortSignal {
  const named = new AbortController();
  const abort = () => {
    const isWithdrawn = signal.reason instanceof RequestError;
    named.abort((isWithdrawn ? 'wrapper_cancelled' : 'connection_closed') satisfies SettleReason);
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return named.signal;
}

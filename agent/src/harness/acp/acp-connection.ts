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
} from '@agentclientprotocol/sdk';
import { agentVersion } from '../../node/agent-version.js';
import { withTimeout } from '../../shared/with-timeout.js';
import type { HarnessListener } from '../harness.js';
import { OrderedStream } from './ordered-stream.js';
import type { SessionUpdates } from './session-updates.js';
import type { WorkspaceTexts } from './workspace-texts.js';

/** Largest message of a harness. */
const maxLineBytes = 10 * 1_024 * 1_024;

export interface AcpTimeouts {
  readonly initializeMs: number;
  readonly newSessionMs: number;
  readonly loadSessionMs: number;
  readonly settingsMs: number;
  /** ACP_NOTIF_SERIALIZE_TIMEOUT. */
  readonly serializeMs: number;
}

interface AcpParts {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly listener: Pick<HarnessListener, 'onPermission'>;
  readonly permissionMode: string | null;
  readonly updates: SessionUpdates;
  readonly texts: WorkspaceTexts;
  readonly timeouts: AcpTimeouts;
}

/** A harness did not answer in time. */
export class AcpTimeout extends Error {
  override readonly name = 'AcpTimeout';
}

export interface SessionPlace {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
}

/** The methods of ACP that are used, over one process's standard input and output. */
export class AcpConnection {
  private readonly connection: ClientConnection;

  constructor(private readonly parts: AcpParts) {
    const { stdin, stdout, listener, permissionMode, updates, texts, timeouts } = parts;
    const ordered = new OrderedStream({
      input: stdout,
      output: stdin,
      maxLineBytes,
      serializeTimeoutMs: timeouts.serializeMs,
      onUpdate: (params) => updates.take(params),
    });
    this.connection = client({ name: 'berth' })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        listener.onPermission(params, signal, permissionMode),
      )
      .onRequest(methods.client.fs.readTextFile, ({ params }) => texts.read(params))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => texts.write(params))
      .connect(ordered.stream);
  }

  /** Resolves once nothing can be said any more. */
  get closed(): Promise<void> {
    return this.connection.closed;
  }

  get isClosed(): boolean {
    return this.connection.signal.aborted;
  }

  /** Why it is closed, when it was not the other side's end of output. */
  get closeReason(): unknown {
    return this.connection.signal.reason;
  }

  async initialize(): Promise<InitializeResponse> {
    const request = {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'berth', version: agentVersion },
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
    };
    const { initializeMs } = this.parts.timeouts;
    return this.ask<InitializeResponse>(methods.agent.initialize, request, initializeMs);
  }

  newSession(place: SessionPlace): Promise<NewSessionResponse> {
    return this.ask(methods.agent.session.new, place, this.parts.timeouts.newSessionMs);
  }

  loadSession(place: SessionPlace, sessionId: string): Promise<LoadSessionResponse | undefined> {
    const request = { ...place, sessionId };
    return this.ask(methods.agent.session.load, request, this.parts.timeouts.loadSessionMs);
  }

  listSessions(cwd: string, cursor: string | null): Promise<ListSessionsResponse> {
    const request = cursor === null ? { cwd } : { cwd, cursor };
    return this.ask(methods.agent.session.list, request, this.parts.timeouts.loadSessionMs);
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return this.ask(methods.agent.session.setMode, { sessionId, modeId }, this.parts.timeouts.settingsMs);
  }

  setOption(sessionId: string, configId: string, value: string): Promise<unknown> {
    const request = { sessionId, configId, value };
    return this.ask(methods.agent.session.setConfigOption, request, this.parts.timeouts.settingsMs);
  }

  /** Has no deadline of its own: whoever prompts knows how long a turn may take. */
  prompt(sessionId: string, prompt: readonly ContentBlock[]): Promise<PromptResponse> {
    const request = { sessionId, prompt: [...prompt] };
    return this.connection.agent.request<PromptResponse>(methods.agent.session.prompt, request);
  }

  cancel(sessionId: string): Promise<void> {
    return this.connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  close(sessionId: string): Promise<unknown> {
    return this.ask(methods.agent.session.close, { sessionId }, this.parts.timeouts.settingsMs);
  }

  /** Fails all that is not answered yet. */
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

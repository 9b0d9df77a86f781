import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { GitTokenResult } from '../../../protocol/callbacks.js';
import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { listenThroughShortPath } from '../node/listen-through-short-path.js';
import type { Log } from '../shared/log.js';
import type { LoopbackAlias } from '../workspaces/loopback-alias.js';
import { answerCredentialRequest } from './credential-request.js';
import { type FetchGitToken, GitTokens } from './git-tokens.js';

/** A question that the control plane puts off for a minute is waited for. */
const answerTimeoutMs = 90_000;
const maxRequestBytes = 16 * 1024;

interface Listening {
  readonly server: Server;
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * Gives git its credentials, one socket a workspace. The socket speaks the protocol of git's own
 * `credential-cache`, so a workspace needs nothing but git to use it, and no token ever stands on a disk, in an
 * environment or on a command line. https://git-scm.com/docs/git-credential-cache
 */
export class CredentialServer implements AsyncDisposable {
  private readonly listening = new Map<string, Listening>();
  private readonly tokens: GitTokens;

  constructor(
    fetchToken: FetchGitToken,
    private readonly log: Log,
    private readonly loopbackAlias: LoopbackAlias = null,
  ) {
    this.tokens = new GitTokens(fetchToken, log);
  }

  /** Listens at `<folder>/git.sock`; does nothing when it does already. */
  async open(workspaceId: string, folder: string): Promise<void> {
    if (this.listening.has(workspaceId)) return;
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      this.serve(workspaceId, socket);
    });
    this.listening.set(workspaceId, { server, sockets });
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await rm(join(folder, 'git.sock'), { force: true });
    await listenThroughShortPath(server, folder, 'git.sock');
    // Whoever a workspace runs as may ask; outsiders cannot reach the folder's parent.
    await chmod(join(folder, 'git.sock'), 0o666);
  }

  /** Whoever still waits at it gets no answer. */
  async close(workspaceId: string): Promise<void> {
    this.tokens.drop(workspaceId);
    const listening = this.listening.get(workspaceId);
    if (!listening) return;
    this.listening.delete(workspaceId);
    const closed = new Promise<void>((resolve) => listening.server.close(() => resolve()));
    for (const socket of listening.sockets) socket.destroy();
    await closed;
  }

  /** A token with some life left, shared by all who ask at the same time. */
  async token(workspaceId: string): Promise<GitTokenResult> {
    return this.tokens.give(workspaceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.listening.keys()].map((workspaceId) => this.close(workspaceId)));
    this.tokens[Symbol.dispose]();
  }

  private serve(workspaceId: string, socket: Socket): void {
    let request = '';
    socket.setTimeout(30_000, () => socket.destroy());
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text: string) => {
      request += text;
      if (request.length > maxRequestBytes) socket.destroy();
    });
    socket.on('end', () => {
      socket.setTimeout(answerTimeoutMs);
      this.answer(workspaceId, request)
        .then((answer) => socket.end(answer))
        .catch((error: unknown) => {
          this.log.warn('No code host token for git', { workspaceId, error });
          socket.end(`message=${explain(error)}\n`);
        });
    });
  }

  private answer(workspaceId: string, request: string): Promise<string> {
    return answerCredentialRequest(request, {
      token: () => this.token(workspaceId),
      reject: (token) => this.tokens.reject(workspaceId, token),
      loopbackAlias: this.loopbackAlias,
    });
  }
}

/** One line for the person at git, without what a terminal would take for a command. */
function explain(error: unknown): string {
  const reason = error instanceof CallbackRefused || error instanceof CallbackUnavailable ? error.reason : '';
  return (reason || 'The control plane does not answer. Try again shortly.').replace(/\p{Cc}/gu, ' ');
}

import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { GitTokenResult } from '../../../protocol/callbacks.js';
import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { listenThroughShortPath } from '../node/listen-through-short-path.js';
import type { Log } from '../shared/log.js';
import { type LoopbackAlias, seenFromContainers } from '../workspaces/loopback-alias.js';
import { type FetchGitToken, GitTokens } from './git-tokens.js';

/** Long enough for one `Retry-After` of a minute from the control plane. */
const answerTimeoutMs = 90_000;
const maxRequestBytes = 16 * 1024;

interface Listening {
  readonly server: Server;
  readonly sockets: ReadonlySet<Socket>;
}

/**
 * Serves git credentials on one socket per workspace, in the protocol of git's own
 * `credential-cache`: a workspace needs only git, and no token is on a disk, in an environment or
 * on a command line. https://git-scm.com/docs/git-credential-cache
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

  /** Listens at `<folder>/git.sock`; a repeated call has no effect. */
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
    // Any user of the workspace may connect; other users cannot enter the folder's parent.
    await chmod(join(folder, 'git.sock'), 0o666);
  }

  /** Closes the socket; pending requests get no answer. */
  async close(workspaceId: string): Promise<void> {
    this.tokens.drop(workspaceId);
    const listening = this.listening.get(workspaceId);
    if (!listening) return;
    this.listening.delete(workspaceId);
    const closed = new Promise<void>((resolve) => listening.server.close(() => resolve()));
    for (const socket of listening.sockets) socket.destroy();
    await closed;
  }

  /** Returns a token that does not expire soon; concurrent calls share one request. */
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

/** One line for the user of git, without terminal control characters. */
function explain(error: unknown): string {
  const reason = error instanceof CallbackRefused || error instanceof CallbackUnavailable ? error.reason : '';
  return (reason || 'The control plane does not answer. Try again in a minute.').replace(/\p{Cc}/gu, ' ');
}

export interface CredentialSource {
  token(): Promise<GitTokenResult>;
  /** Reports that the code host refused this token. */
  reject(token: string): void;
  readonly loopbackAlias?: LoopbackAlias;
}

/**
 * Answers one `credential-cache` request of git; empty for any host but the workspace's code host.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
export async function answerCredentialRequest(request: string, source: CredentialSource): Promise<string> {
  const fields = new Map<string, string>();
  for (const line of request.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1));
  }
  const refused = fields.get('action') === 'erase' ? fields.get('password') : undefined;
  if (refused !== undefined) source.reject(refused);
  if (fields.get('action') !== 'get') return '';
  const { token, username, cloneUrl } = await source.token();
  const { protocol, host } = new URL(cloneUrl);
  const answer = `username=${username}\npassword=${token}\n`;
  // The wrapper of gh asks for the token of the workspace's code host, whatever its name.
  if (!fields.has('protocol') && !fields.has('host'))
    return `protocol=${protocol.slice(0, -1)}\nhost=${host}\n${answer}`;
  const { host: hostInside } = new URL(seenFromContainers(cloneUrl, source.loopbackAlias ?? null));
  if (fields.get('protocol') !== protocol.slice(0, -1)) return '';
  if (fields.get('host') !== host && fields.get('host') !== hostInside) return '';
  return answer;
}

import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitTokenResult } from '../../../protocol/callbacks.js';
import type { Log } from '../log/log.js';
import type { LoopbackAlias } from '../workspaces/loopback-alias.js';
import { answerCredentialRequest } from './credential-request.js';

/** A token is asked for anew when it has less left than this. */
const minimumLifeMs = 60_000;
const maxRequestBytes = 16 * 1024;

interface Listening {
  readonly server: Server;
  readonly sockets: ReadonlySet<Socket>;
}

export type FetchGitToken = (workspaceId: string) => Promise<GitTokenResult>;

/**
 * Gives git its credentials, one socket a workspace. The socket speaks the protocol of git's own
 * `credential-cache`, so a workspace needs nothing but git to use it, and no token ever stands on a disk, in an
 * environment or on a command line. https://git-scm.com/docs/git-credential-cache
 */
export class CredentialServer implements AsyncDisposable {
  private readonly listening = new Map<string, Listening>();
  private readonly tokens = new Map<string, GitTokenResult>();

  constructor(
    private readonly fetchToken: FetchGitToken,
    private readonly log: Log,
    private readonly loopbackAlias: LoopbackAlias = null,
  ) {}

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
    await listenThroughShortPath(server, folder);
    // Whoever a workspace runs as may ask; outsiders cannot reach the folder's parent.
    await chmod(join(folder, 'git.sock'), 0o666);
  }

  /** Whoever still waits at it gets no answer. */
  async close(workspaceId: string): Promise<void> {
    this.tokens.delete(workspaceId);
    const listening = this.listening.get(workspaceId);
    if (!listening) return;
    this.listening.delete(workspaceId);
    const closed = new Promise<void>((resolve) => listening.server.close(() => resolve()));
    for (const socket of listening.sockets) socket.destroy();
    await closed;
  }

  /** A token with some life left, shared by all who ask meanwhile. */
  async token(workspaceId: string): Promise<GitTokenResult> {
    const known = this.tokens.get(workspaceId);
    if (known && Date.parse(known.expiresAt) - Date.now() > minimumLifeMs) return known;
    const token = await this.fetchToken(workspaceId);
    this.tokens.set(workspaceId, token);
    return token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.listening.keys()].map((workspaceId) => this.close(workspaceId)));
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
      this.answer(workspaceId, request)
        .then((answer) => socket.end(answer))
        .catch((error: unknown) => {
          this.log.warn('No code host token for git', { workspaceId, error });
          socket.end();
        });
    });
  }

  private answer(workspaceId: string, request: string): Promise<string> {
    return answerCredentialRequest(request, {
      token: () => this.token(workspaceId),
      forget: () => this.tokens.delete(workspaceId),
      loopbackAlias: this.loopbackAlias,
    });
  }
}

/** Socket paths are limited to some hundred bytes, state folders are not: bind through a short link. */
async function listenThroughShortPath(server: Server, folder: string): Promise<void> {
  const short = await mkdtemp(join(tmpdir(), 'svc-'));
  try {
    await symlink(folder, join(short, 'd'));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(join(short, 'd', 'git.sock'), resolve);
    });
  } finally {
    await rm(short, { recursive: true, force: true });
  }
}

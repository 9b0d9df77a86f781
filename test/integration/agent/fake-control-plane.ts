import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { ulid } from 'ulid';
import { addRepository, makeRepositories, serveGit } from './git-host.js';

// Fresh ids: several runs may share this machine, its processes and its Docker engine.
export const nodeId = ulid();
export const userId = ulid();
export const bootstrapToken = 'b'.repeat(43);

export interface RecordedCall {
  readonly path: string;
  readonly authorization: string;
  readonly body: Record<string, unknown>;
}

export type Answer = { readonly status: number; readonly body: unknown };

/** What the agent sees of a control plane: keys, callbacks, and a code host beside it. */
export class FakeControlPlane implements AsyncDisposable {
  readonly calls: RecordedCall[] = [];
  /** Answers that take precedence, by the end of the path; used up one by one. */
  readonly next = new Map<string, Answer[]>();
  /** Who answers in its place, by the end of the path. */
  readonly handlers = new Map<string, (body: Record<string, unknown>) => Promise<Answer>>();
  /** Answers a call before everything else; undefined: as without it. */
  intercept: (call: RecordedCall) => Promise<Answer | undefined> = async () => undefined;
  /** How far its clock is from this machine's. */
  clockOffsetMs = 0;
  gitToken = 'git-token-one';
  /** What git showed at each of its requests. */
  readonly gitAuthorizations: string[] = [];
  url = '';
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch(() => response.destroy());
  });

  private constructor(
    private readonly key: CryptoKeyLike,
    private readonly jwks: object,
    readonly repositories: string,
  ) {}

  /**
   * `host` is where it listens; its own name is that of the loopback, as agents take plain HTTP
   * from nowhere else.
   */
  static async start(host = '127.0.0.1'): Promise<FakeControlPlane> {
    const { privateKey, publicKey } = await generateKeyPair('Ed25519');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'EdDSA', use: 'sig' };
    const repositories = mkdtempSync(join(tmpdir(), 'agent-repos-'));
    makeRepositories(repositories);
    const fake = new FakeControlPlane(privateKey, { keys: [jwk] }, repositories);
    await new Promise<void>((resolve, reject) => {
      fake.server.once('error', reject);
      fake.server.listen(0, host, resolve);
    });
    fake.url = `http://127.0.0.1:${(fake.server.address() as AddressInfo).port}`;
    return fake;
  }

  sign(claims: JWTPayload, expires: string | number = '1h'): Promise<string> {
    const at = Math.floor((Date.now() + this.clockOffsetMs) / 1000);
    return new SignJWT({ iss: this.url, ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'one' })
      .setIssuedAt(at)
      .setExpirationTime(this.clockOffsetMs === 0 ? expires : at + 3_600)
      .sign(this.key);
  }

  management(workspace?: string): Promise<string> {
    const claims = { aud: 'node-management', sub: 'control-plane', node: nodeId };
    return this.sign(workspace === undefined ? claims : { ...claims, workspace });
  }

  terminal(workspace: string, generation = 1, sub = userId): Promise<string> {
    return this.terminalOf({ workspace, generation, sub });
  }

  /** With whatever claims differ from the ordinary ones. */
  terminalOf(claims: JWTPayload, expires: string | number = '1h'): Promise<string> {
    const ordinary = { aud: 'workspace-terminal', sub: userId, node: nodeId, generation: 1, session: 's' };
    return this.sign({ ...ordinary, ...claims }, expires);
  }

  /** For one navigation to a port. */
  preview(workspace: string, port: number, claims: JWTPayload = {}, expires = '1m'): Promise<string> {
    const own = { aud: 'workspace-preview', jti: ulid(), workspace, port };
    return this.terminalOf({ ...own, ...claims }, expires);
  }

  workspaceCallback(workspace: string, generation = 1): Promise<string> {
    return this.sign({ aud: 'workspace-callback', sub: workspace, node: nodeId, generation });
  }

  callsTo(end: string): RecordedCall[] {
    return this.calls.filter(({ path }) => path.endsWith(end));
  }

  /** The reports of a session's agent, alone or with messages, in their order. */
  activitiesOf(sessionId: string): Record<string, unknown>[] {
    return this.calls.flatMap(({ path, body }) => {
      if (path.endsWith(`acp-sessions/${sessionId}/activity`)) return [body];
      const { activity } = body as { readonly activity?: Record<string, unknown> };
      return activity?.agentSessionId === sessionId ? [activity] : [];
    });
  }

  /** A repository of these files, one commit on main. */
  addRepository(name: string, files: Readonly<Record<string, string>>): void {
    addRepository(this.repositories, name, files);
  }

  cloneUrl(name: string): string {
    return `${this.url}/git/${name}.git`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.startsWith('/git/')) {
      this.gitAuthorizations.push(request.headers.authorization ?? '');
      serveGit(this.repositories, () => this.gitToken, request, response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text ? JSON.parse(text) : {};
    const call = { path, authorization: request.headers.authorization ?? '', body };
    this.calls.push(call);
    const answer = (await this.intercept(call)) ?? (await this.answer(path, body));
    // A network that swallows: the caller has to time out.
    if (answer.status === 0) return;
    response.setHeader('date', new Date(Date.now() + this.clockOffsetMs).toUTCString());
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.status === 204 ? undefined : JSON.stringify(answer.body));
  }

  private async answer(path: string, body: Record<string, unknown>): Promise<Answer> {
    const [place = ''] = path.split('?');
    const end = place.split('/').at(-1) ?? '';
    const prepared = this.next.get(end)?.shift();
    if (prepared) return prepared;
    const handler = this.handlers.get(end);
    if (handler) return handler(body);
    const now = new Date().toISOString();
    if (end === 'jwks.json') return { status: 200, body: this.jwks };
    if (end === 'bootstrap') return this.bootstrap(body);
    if (/^\/api\/nodes\/\w+\/ready$/.test(path))
      return { status: 200, body: { status: 'running', readyAt: now } };
    if (end === 'heartbeat')
      return { status: 200, body: { status: 'running', lastHeartbeatAt: now, healthStatus: 'healthy' } };
    if (end === 'git-token') return { status: 200, body: this.gitTokenAnswer() };
    if (end === 'agent-key')
      return { status: 200, body: { apiKey: 'agent-key-one', credentialKind: 'api-key' } };
    if (end === 'agent-settings') return { status: 200, body: {} };
    if (end === 'runtime-assets')
      return { status: 200, body: { workspaceId: place.split('/').at(-2), envVars: [], files: [] } };
    if (end === 'renew') return { status: 200, body: { renewed: false } };
    if (end === 'messages')
      return {
        status: 200,
        body: { persisted: 1, duplicates: 0, activityTaken: body.activity !== undefined },
      };
    if (end === 'activity') return { status: 204, body: null };
    return { status: 200, body: { success: true } };
  }

  private async bootstrap(body: Record<string, unknown>): Promise<Answer> {
    if (body.token !== bootstrapToken)
      return { status: 401, body: { error: 'INVALID_TOKEN', message: 'no' } };
    const callbackToken = await this.sign({ aud: 'node-callback', sub: nodeId }, '24h');
    return { status: 200, body: { callbackToken, expiresAt: Math.floor(Date.now() / 1000) + 86_400 } };
  }

  private gitTokenAnswer() {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const cloneUrl = this.cloneUrl('full');
    return {
      token: this.gitToken,
      expiresAt,
      username: 'x-access-token',
      host: new URL(cloneUrl).host,
      cloneUrl,
    };
  }
}

type CryptoKeyLike = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

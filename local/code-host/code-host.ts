import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isOfForeignPage, isOwnHost, isVisit, refusedHost, refusedPage } from '../access/pages.js';
import { type ContainerGateway, GatewayServer, loopbackNames } from '../container-gateway.js';
import { BodyTooLarge, readBody } from '../read-body.js';
import { accessOf } from './access.js';
import { type AppCredentials, openAppCredentials } from './app-credentials.js';
import { Collaborators } from './collaborators.js';
import { application, findPerson, findRepository, people } from './directory.js';
import { serveGit } from './git-backend.js';
import { Grants } from './grants.js';
import { OAuth } from './oauth.js';
import { pullRequestPage } from './pull-request-page.js';
import { Refs } from './refs.js';
import { bearerOf, escapeHtml, page, problem, type Reply, redirect } from './reply.js';
import { Rest, restBase } from './rest.js';
import { seedRepositories } from './seed.js';
import { Webhooks } from './webhooks.js';
import { WorkRoutes } from './work-routes.js';

export interface CodeHostOptions {
  readonly folder: string;
  readonly port: number;
  /** Origin of the application: where sign-ins and installations may be sent back to. */
  readonly publicUrl: string;
  /**
   * Containers get git there, and nothing else: anybody may sign in as anybody at the other pages.
   */
  readonly gateway?: ContainerGateway | undefined;
}

const gitPath = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/**
 * The code host of the laptop cloud: sign-in, REST and git over smart HTTP, on local bare
 * repositories.
 */
export class CodeHost implements AsyncDisposable {
  readonly url: string;
  readonly apiUrl: string;
  readonly credentials: AppCredentials;
  /** Folder of the bare repositories. */
  readonly repositories: string;
  private readonly grants: Grants;
  private readonly collaborators: Collaborators;
  private readonly oauth: OAuth;
  private readonly webhooks: Webhooks;
  private readonly work: WorkRoutes;
  private readonly rest: Rest;
  private readonly server: Server;
  private readonly forContainers: GatewayServer;

  constructor(private readonly options: CodeHostOptions) {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.url = `http://localhost:${options.port}`;
    this.apiUrl = `${this.url}${restBase}`;
    this.credentials = openAppCredentials(join(options.folder, 'app.json'));
    this.repositories = join(options.folder, 'repositories');
    this.grants = new Grants(join(options.folder, 'grants.json'));
    this.oauth = new OAuth(this.credentials, this.grants, new URL(options.publicUrl).origin);
    this.collaborators = new Collaborators(join(options.folder, 'collaborators.json'));
    const { url, credentials, grants, collaborators, repositories } = this;
    const { folder, publicUrl } = options;
    this.webhooks = new Webhooks({ url, publicUrl, secret: credentials.webhookSecret });
    const recorded = { refs: new Refs(repositories), webhooks: this.webhooks };
    this.work = new WorkRoutes({ url, folder, grants, collaborators, ...recorded });
    this.rest = new Rest({ url, credentials, grants, collaborators, work: this.work, repositories });
    this.server = createServer((request, response) => {
      const refused = this.refusalOf(request);
      if (refused) response.writeHead(403, { 'content-type': 'text/plain' }).end(refused);
      else this.serve(request, response);
    });
    this.forContainers = new GatewayServer(options.gateway, options.port, (request, response) => {
      const { pathname } = new URL(request.url ?? '/', this.url);
      if (gitPath.test(pathname)) this.serve(request, response);
      else response.writeHead(404).end();
    });
  }

  async start(): Promise<void> {
    seedRepositories(this.repositories);
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port: this.options.port, host: '127.0.0.1' }, resolve);
    });
    await this.forContainers.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.webhooks[Symbol.dispose]();
    await this.forContainers[Symbol.asyncDispose]();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Pages of other origins link to its pages, and do nothing else. */
  private refusalOf(request: IncomingMessage): string | undefined {
    const { port, gateway } = this.options;
    if (!isOwnHost(request.headers.host, loopbackNames(gateway))) return refusedHost;
    const own = [this.url, `http://127.0.0.1:${port}`];
    return isOfForeignPage(request, own) && !isVisit(request) ? refusedPage : undefined;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const git = gitPath.exec(url.pathname);
    if (git)
      return this.serveRepository(
        { owner: git[1] ?? '', name: git[2] ?? '', service: git[3] ?? '', url },
        request,
        response,
      );
    try {
      const body = (await readBody(request)).toString('utf8');
      const reply = await this.answer({
        method: request.method ?? 'GET',
        url,
        headers: request.headers,
        body,
      });
      response.writeHead(reply.status, reply.headers).end(reply.body);
    } catch (error) {
      response.writeHead(error instanceof BodyTooLarge ? 413 : 500).end();
    }
  }

  private answer(request: Parameters<OAuth['authorize']>[0]): Reply | Promise<Reply> {
    const { pathname } = request.url;
    if (pathname === '/login/oauth/authorize') return this.oauth.authorize(request);
    if (pathname === '/login/oauth/access_token') {
      return request.method === 'POST' ? this.oauth.accessToken(request) : problem(404, 'Not Found');
    }
    if (pathname.startsWith(`${restBase}/`)) return this.rest.answer(request);
    if (pathname === `/apps/${application.slug}/installations/new`) return this.install(request.url);
    if (pathname.startsWith('/avatars/')) return avatar(pathname);
    return pullRequestPage(pathname, this.work.pullRequests) ?? notHere(pathname);
  }

  /**
   * Everybody has installed the application already; the page plays the host's half of the
   * installation again.
   */
  private install(url: URL): Reply {
    const person = findPerson(url.searchParams.get('login') ?? '');
    if (person && person.installationId !== null) {
      const target = new URL('/api/codehost/callback', this.options.publicUrl);
      target.searchParams.set('installation_id', String(person.installationId));
      target.searchParams.set('setup_action', 'install');
      const state = url.searchParams.get('state');
      if (state !== null) target.searchParams.set('state', state);
      return redirect(target.href);
    }
    const choices = people
      .filter(({ installationId }) => installationId !== null)
      .map(
        ({ login }) =>
          `<a href="?${escapeHtml(new URLSearchParams({ ...Object.fromEntries(url.searchParams), login }).toString())}">${escapeHtml(login)}</a>`,
      );
    return page('Install Berth for the repositories of', choices.join(''));
  }

  private serveRepository(call: RepositoryCall, request: IncomingMessage, response: ServerResponse): void {
    const repository = findRepository(call.owner, call.name);
    const token = passwordOf(request) ?? bearerOf(request);
    const grant = token === undefined ? undefined : this.grants.find(token);
    const access = repository
      ? accessOf(grant, repository, this.collaborators)
      : { read: false, write: false };
    const writes = isWrite(call);
    const refusal = refuse({ token, isKnown: grant !== undefined, writes, access });
    if (refusal || !repository) {
      response.writeHead(refusal?.status ?? 404, refusal?.headers).end(refusal?.body);
      return;
    }
    const path = `/${repository.owner}/${repository.name}.git/${call.service}`;
    const remoteUser = writes ? repository.owner : undefined;
    const query = call.url.search.slice(1);
    if (call.service === 'git-receive-pack') response.once('close', this.work.beginPush(repository, grant));
    serveGit({ projectRoot: this.repositories, path, query, remoteUser }, request, response);
  }
}

const notHere = (pathname: string): Reply =>
  page('Not here', '<p>This code host has no such page.</p>', pathname === '/' ? 200 : 404);

interface RepositoryCall {
  readonly owner: string;
  readonly name: string;
  readonly service: string;
  readonly url: URL;
}

const isWrite = ({ service, url }: RepositoryCall) =>
  service === 'git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack';

interface Attempt {
  readonly token: string | undefined;
  readonly isKnown: boolean;
  readonly writes: boolean;
  readonly access: { readonly read: boolean; readonly write: boolean };
}

/**
 * A bad token is refused even where anybody may read, and a missing one is asked for; what is left
 * is private.
 */
function refuse({ token, isKnown, writes, access }: Attempt): Reply | undefined {
  const unauthorized = {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="Berth laptop code host"' },
    body: '',
  };
  if (token !== undefined && !isKnown) return unauthorized;
  if (token === undefined && (writes || !access.read)) return unauthorized;
  if (!access.read) return { status: 404, headers: {}, body: 'Repository not found.' };
  if (writes && !access.write)
    return { status: 403, headers: {}, body: 'Permission to this repository denied.' };
  return undefined;
}

/** Git sends a token as the password of any user name. */
function passwordOf({ headers }: IncomingMessage): string | undefined {
  const encoded = /^basic (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1);
}

function avatar(pathname: string): Reply {
  const letter = escapeHtml((pathname.split('/').pop() ?? '?').charAt(0).toUpperCase());
  return {
    status: 200,
    headers: { 'content-type': 'image/svg+xml' },
    body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#345"/><text x="32" y="43" font-family="sans-serif" font-size="32" fill="#fff" text-anchor="middle">${letter}</text></svg>`,
  };
}

// biome-ignore-all lint/style/noExcessiveLinesPerFile: one subsystem whose methods share its state
import { importSPKI, jwtVerify } from 'jose';
import { accessOf } from './access.js';
import type { AppCredentials } from './app-credentials.js';
import type { Collaborators } from './collaborators.js';
import { contentOf } from './contents.js';
import {
  application,
  findInstallation,
  findPerson,
  findRepository,
  organisations,
  type Person,
  type Repository,
  repositoriesOf,
} from './directory.js';
import type { Grant, Grants } from './grants.js';
import { bearerOf, fieldsOf, type HostRequest, json, problem, type Reply } from './reply.js';
import { shownRepository } from './shown-repository.js';
import { parseTokenRequest } from './token-request.js';
import type { WorkRoutes } from './work-routes.js';

interface RestParts {
  /** Origin of the code host. */
  readonly url: string;
  readonly credentials: AppCredentials;
  readonly grants: Grants;
  readonly collaborators: Collaborators;
  readonly work: WorkRoutes;
  /** Folder of the bare repositories. */
  readonly repositories: string;
}

type Parameters = readonly string[];
type Handler = (request: HostRequest, parameters: Parameters) => Reply | Promise<Reply>;
type Route = readonly [method: string, path: RegExp, handler: Handler];

export const restBase = '/api/v3';

/** The part of the code host's REST interface that Berth uses, with its paging and its refusals. */
export class Rest {
  private readonly routes: readonly Route[];

  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes or services, one after the other
  constructor(private readonly parts: RestParts) {
    this.routes = [
      ['GET', /^\/user$/, this.asPerson((_request, person) => json(200, this.person(person)))],
      [
        'GET',
        /^\/user\/emails$/,
        this.asPerson((request, { emails }) =>
          this.pagedList(
            request,
            emails.map((email) => ({ ...email, visibility: email.primary ? 'private' : null })),
          ),
        ),
      ],
      [
        'GET',
        /^\/user\/memberships\/orgs$/,
        this.asPerson((request, person) => this.memberships(request, person)),
      ],
      [
        'GET',
        /^\/user\/installations$/,
        this.asPerson((request, person) =>
          this.paged(
            request,
            'installations',
            this.parts.collaborators.accountsShown(person).map((account) => this.installation(account)),
          ),
        ),
      ],
      [
        'GET',
        /^\/user\/installations\/(\d+)\/repositories$/,
        this.asPerson((request, person, [id]) => this.installationRepositories(request, person, Number(id))),
      ],
      [
        'GET',
        /^\/repos\/([^/]+)\/([^/]+)$/,
        (request, [owner = '', name = '']) => this.repositoryFor(request, owner, name),
      ],
      [
        'GET',
        /^\/repos\/([^/]+)\/([^/]+)\/contents\/(.+)$/,
        (request, names) => this.content(request, names),
      ],
      ...parts.work.routes,
      ...this.accessRoutes(),
      [
        'GET',
        /^\/app$/,
        this.asApp(() =>
          json(200, { id: application.id, slug: application.slug, name: 'Berth on this laptop' }),
        ),
      ],
      [
        'GET',
        /^\/app\/installations\/(\d+)$/,
        this.asApp((_request, [id]) => this.appInstallation(Number(id))),
      ],
      [
        'POST',
        /^\/app\/installations\/(\d+)\/access_tokens$/,
        this.asApp((request, [id]) => this.createToken(request, Number(id))),
      ],
    ];
  }

  /** What gives access and takes it. */
  private accessRoutes(): readonly Route[] {
    const collaborators = /^\/repos\/([^/]+)\/([^/]+)\/collaborators\/([^/]+)$/;
    const set = this.asPerson((request, person, names) => this.setCollaborator(request, person, names));
    return [
      ['PUT', collaborators, set],
      ['DELETE', collaborators, set],
      ['DELETE', /^\/installation\/token$/, (request) => this.revokeInstallationToken(request)],
    ];
  }

  async answer(request: HostRequest): Promise<Reply> {
    const path = request.url.pathname.slice(restBase.length);
    for (const [method, pattern, handler] of this.routes) {
      const match = pattern.exec(path);
      if (match && method === request.method) return handler(request, match.slice(1).map(decodeURIComponent));
    }
    return problem(404, 'Not Found');
  }

  private asPerson(
    handler: (request: HostRequest, person: Person, parameters: Parameters) => Reply,
  ): Handler {
    return (request, parameters) => {
      const grant = this.grantOf(request);
      const person = grant?.kind === 'user' ? findPerson(grant.login) : undefined;
      return person ? handler(request, person, parameters) : problem(401, 'Bad credentials');
    };
  }

  /**
   * The application itself, by the JWT that it signs with its private key and that lives ten
   * minutes at most.
   */
  private asApp(handler: Handler): Handler {
    return async (request, parameters) => {
      try {
        const key = await importSPKI(this.parts.credentials.publicKey, 'RS256');
        await jwtVerify(bearerOf(request) ?? '', key, {
          algorithms: ['RS256'],
          issuer: [String(application.id), application.clientId],
          maxTokenAge: '11 minutes',
          clockTolerance: 60,
        });
      } catch {
        return problem(401, 'A JSON web token could not be decoded');
      }
      return handler(request, parameters);
    };
  }

  private grantOf(request: HostRequest): Grant | undefined {
    return this.parts.grants.find(bearerOf(request) ?? '');
  }

  private installationRepositories(request: HostRequest, person: Person, id: number): Reply {
    const account = this.parts.collaborators
      .accountsShown(person)
      .find(({ installationId }) => installationId === id);
    if (!account) return problem(404, 'Not Found');
    return this.paged(
      request,
      'repositories',
      this.parts.collaborators
        .repositoriesShown(account, person)
        .map((repository) =>
          this.repository(
            repository,
            this.parts.collaborators.permissionOf(repository, person.login) === 'push',
          ),
        ),
    );
  }

  private repositoryFor(request: HostRequest, owner: string, name: string): Reply {
    const grant = this.grantOf(request);
    if (!grant && request.headers.authorization) return problem(401, 'Bad credentials');
    const repository = findRepository(owner, name);
    if (!repository) return problem(404, 'Not Found');
    const access = accessOf(grant, repository, this.parts.collaborators);
    return access.read ? json(200, this.repository(repository, access.write)) : problem(404, 'Not Found');
  }

  private content(request: HostRequest, [owner = '', name = '', path = '']: Parameters) {
    const repository = findRepository(owner, name);
    const access = repository && accessOf(this.grantOf(request), repository, this.parts.collaborators);
    if (!repository || !access?.read) return problem(404, 'Not Found');
    return contentOf(this.parts.repositories, { ...repository, path }, request);
  }

  /** Only the owner of a repository invites people to it, and withdraws that. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
  private setCollaborator(request: HostRequest, person: Person, [owner, name, login]: Parameters): Reply {
    const repository = findRepository(owner ?? '', name ?? '');
    if (repository?.owner !== person.login || !findPerson(login ?? '')) return problem(404, 'Not Found');
    const { collaborators } = this.parts;
    if (request.method === 'DELETE') collaborators.remove(repository, login ?? '');
    else {
      const isReader = fieldsOf(request).permission === 'pull';
      collaborators.invite(repository, login ?? '', isReader ? 'pull' : 'push');
    }
    return { status: 204, headers: {}, body: '' };
  }

  private revokeInstallationToken(request: HostRequest): Reply {
    const token = bearerOf(request) ?? '';
    if (this.parts.grants.find(token)?.kind !== 'installation') return problem(401, 'Bad credentials');
    this.parts.grants.revoke(token);
    return { status: 204, headers: {}, body: '' };
  }

  private appInstallation(id: number): Reply {
    const person = findInstallation(id);
    return person ? json(200, this.installation(person)) : problem(404, 'Not Found');
  }

  private createToken(request: HostRequest, id: number): Reply {
    const person = findInstallation(id);
    if (!person) return problem(404, 'Not Found');
    const wanted = parseTokenRequest(request.body);
    if (!wanted) return problem(400, 'Problems parsing JSON');
    const all = repositoriesOf(person.login).map(({ name }) => name);
    const names = wanted.repositories ?? all;
    if (names.some((name) => !all.includes(name.toLowerCase()))) {
      return problem(
        422,
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
      );
    }
    const expiresAt = this.parts.grants.expiry('installation');
    const repositories = names.map((name) => `${person.login}/${name.toLowerCase()}`);
    const canWrite = wanted.permissions?.contents !== 'read';
    const token = this.parts.grants.issue({
      kind: 'installation',
      installationId: id,
      repositories,
      canWrite,
      expiresAt,
    });
    return json(201, {
      token,
      expires_at: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
      permissions: wanted.permissions ?? { contents: 'write', metadata: 'read' },
      repository_selection: wanted.repositories ? 'selected' : 'all',
    });
  }

  private memberships(request: HostRequest, { login }: Person): Reply {
    const wanted = request.url.searchParams.get('state');
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
    const found = organisations.flatMap(({ id, login: organisation, members, invited }) => {
      const state = members.has(login) ? 'active' : invited.includes(login) ? 'pending' : undefined;
      if (state === undefined || (wanted !== null && wanted !== state)) return [];
      return [{ state, role: 'member', organization: { id, login: organisation } }];
    });
    return this.pagedList(request, found);
  }

  private paged(request: HostRequest, name: string, items: readonly unknown[]): Reply {
    const { page, link } = this.pageOf(request, items);
    return json(200, { total_count: items.length, [name]: page }, link);
  }

  private pagedList(request: HostRequest, items: readonly unknown[]): Reply {
    const { page, link } = this.pageOf(request, items);
    return json(200, page, link);
  }

  private pageOf(request: HostRequest, items: readonly unknown[]) {
    const number = (key: string, fallback: number) =>
      Math.max(1, Number(request.url.searchParams.get(key)) || fallback);
    const size = Math.min(100, number('per_page', 30));
    const current = number('page', 1);
    const next = new URL(request.url.pathname + request.url.search, this.parts.url);
    next.searchParams.set('page', String(current + 1));
    const link: Record<string, string> =
      current * size < items.length ? { link: `<${next.href}>; rel="next"` } : {};
    return { page: items.slice((current - 1) * size, current * size), link };
  }

  private person({ id, login, name, email }: Person) {
    return {
      id,
      login,
      name,
      email,
      avatar_url: `${this.parts.url}/avatars/${login}.svg`,
      html_url: `${this.parts.url}/${login}`,
      type: 'User',
    };
  }

  private installation(person: Person) {
    return {
      id: person.installationId,
      app_id: application.id,
      app_slug: application.slug,
      target_type: 'User',
      repository_selection: 'all',
      account: this.person(person),
      permissions: { contents: 'write', metadata: 'read', pull_requests: 'write' },
      suspended_at: null,
    };
  }

  private repository(repository: Repository, canPush: boolean) {
    const permissions = { admin: canPush, push: canPush, pull: true };
    return { ...shownRepository(this.parts.url, repository), permissions };
  }
}

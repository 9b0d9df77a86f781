import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AppCredentials } from './app-credentials.js';
import { application, findPerson, people } from './directory.js';
import { type Grants, lifetimeSeconds } from './grants.js';
import { escapeHtml, fieldsOf, type HostRequest, json, page, type Reply, redirect } from './reply.js';

interface Code {
  readonly login: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly expiresAt: number;
}

const codeLifetimeMs = 10 * 60 * 1000;

/** Sign-in by authorization code with PKCE, as the code host does it for its applications. */
export class OAuth {
  private readonly codes = new Map<string, Code>();

  constructor(
    private readonly credentials: AppCredentials,
    private readonly grants: Grants,
    /**
     * Where the application may be sent back to; the code host knows it from the application's
     * registration.
     */
    private readonly callbackOrigin: string,
  ) {}

  /**
   * GET /login/oauth/authorize: whom to be is the whole of the sign-in; `?login=` answers without
   * the page.
   */
  authorize({ url }: HostRequest): Reply {
    const query = url.searchParams;
    const redirectUri = query.get('redirect_uri') ?? '';
    const refusal = this.refuseAuthorize(query, redirectUri);
    if (refusal) return page('This sign-in cannot go on', `<p>${escapeHtml(refusal)}</p>`, 400);
    const login = query.get('login');
    if (login === null) return this.choosePerson(url);
    const person = findPerson(login);
    if (!person) return page('Nobody by that name', `<p>There is no ${escapeHtml(login)} here.</p>`, 404);

    const code = randomBytes(16).toString('hex');
    this.codes.set(code, {
      login: person.login,
      redirectUri,
      challenge: query.get('code_challenge'),
      expiresAt: Date.now() + codeLifetimeMs,
    });
    const target = new URL(redirectUri);
    target.searchParams.set('code', code);
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    return redirect(target.href);
  }

  /** POST /login/oauth/access_token. As on the real host, a refusal is a 200 with `error`. */
  accessToken(request: HostRequest): Reply {
    const fields = { ...basicCredentials(request), ...fieldsOf(request) };
    if (
      fields.client_id !== application.clientId ||
      !same(fields.client_secret, this.credentials.clientSecret)
    ) {
      return failure(
        'incorrect_client_credentials',
        'The client_id and/or client_secret passed are incorrect.',
      );
    }
    if (fields.grant_type === 'refresh_token') return this.refresh(fields.refresh_token ?? '');
    const code = this.codes.get(fields.code ?? '');
    this.codes.delete(fields.code ?? '');
    return refuseCode(code, fields) ?? this.issue(code?.login ?? '');
  }

  private refuseAuthorize(query: URLSearchParams, redirectUri: string): string | undefined {
    if (query.get('client_id') !== application.clientId) return 'The application is not known here.';
    if (!URL.canParse(redirectUri) || new URL(redirectUri).origin !== this.callbackOrigin) {
      return 'The redirect_uri is not one of the application.';
    }
    if (query.get('code_challenge') !== null && query.get('code_challenge_method') !== 'S256') {
      return 'The code_challenge_method must be S256.';
    }
    return undefined;
  }

  private choosePerson(url: URL): Reply {
    const choices = people.map(({ login, name }) => {
      const choice = new URLSearchParams(url.searchParams);
      choice.set('login', login);
      return `<a href="?${escapeHtml(choice.toString())}"><strong>${escapeHtml(login)}</strong> – ${escapeHtml(name)}</a>`;
    });
    return page(
      'Sign in to Berth as',
      `<p>This is the code host of your laptop cloud. It has three people and no passwords.</p>${choices.join('')}`,
    );
  }

  private refresh(token: string): Reply {
    const grant = this.grants.find(token);
    if (grant?.kind !== 'refresh')
      return failure('bad_refresh_token', 'The refresh token passed is incorrect or expired.');
    this.grants.revoke(token);
    return this.issue(grant.login);
  }

  private issue(login: string): Reply {
    return json(200, {
      access_token: this.grants.issue({ kind: 'user', login, expiresAt: this.grants.expiry('user') }),
      expires_in: lifetimeSeconds.user,
      refresh_token: this.grants.issue({ kind: 'refresh', login, expiresAt: this.grants.expiry('refresh') }),
      refresh_token_expires_in: lifetimeSeconds.refresh,
      scope: '',
      token_type: 'bearer',
    });
  }
}

function refuseCode(code: Code | undefined, fields: Record<string, string>): Reply | undefined {
  if (!code || code.expiresAt < Date.now()) {
    return failure('bad_verification_code', 'The code passed is incorrect or expired.');
  }
  if (fields.redirect_uri !== undefined && fields.redirect_uri !== code.redirectUri) {
    return failure('redirect_uri_mismatch', 'The redirect_uri differs from that of the authorization.');
  }
  if (code.challenge !== null && !same(challengeOf(fields.code_verifier ?? ''), code.challenge)) {
    return failure('bad_verification_code', 'The code_verifier does not fit the code_challenge.');
  }
  return undefined;
}

const failure = (error: string, description: string) => json(200, { error, error_description: description });
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

function same(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}

function basicCredentials({ headers }: HostRequest): Record<string, string> {
  const encoded = /^basic (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (!encoded) return {};
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: decodeURIComponent(id), client_secret: decodeURIComponent(secret) };
}

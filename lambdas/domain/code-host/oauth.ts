import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { asApplication, type CodeHost, type CodeHostApp, codeHostTimeoutMs } from './code-host.js';
import { CodeHostAccessLost, CodeHostUnavailable } from './errors.js';

/** Tokens as the code host gave them. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Seconds; null when it does not expire. */
  readonly expiresIn: number | null;
}

/** Where a browser goes to sign in, with PKCE (S256) and a state. */
export async function authorizeUrl(
  codeHost: CodeHost,
  request: { readonly redirectUri: string; readonly state: string; readonly codeVerifier: string },
): Promise<string> {
  const { clientId } = await codeHost.app();
  const url = new URL(`${codeHost.webUrl}/login/oauth/authorize`);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: 'read:user user:email read:org',
    state: request.state,
    code_challenge: await calculatePKCECodeChallenge(request.codeVerifier),
    code_challenge_method: 'S256',
  }).toString();
  return url.toString();
}

/**
 * Trades the code of a callback for tokens.
 *
 * @throws {CodeHostAccessLost | CodeHostUnavailable}
 */
export async function exchangeCode(
  codeHost: CodeHost,
  callback: {
    readonly parameters: URLSearchParams;
    readonly redirectUri: string;
    readonly state: string;
    readonly codeVerifier: string;
  },
): Promise<GrantedTokens> {
  return granted(codeHost, async ({ server, client, authenticate, options }) => {
    const parameters = validateAuthResponse(server, client, callback.parameters, callback.state);
    const { redirectUri, codeVerifier } = callback;
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      parameters,
      redirectUri,
      codeVerifier,
      options(),
    );
    requireAnswer(response);
    return processAuthorizationCodeResponse(server, client, response);
  });
}

/**
 * Trades a refresh token, which works once, for new tokens.
 *
 * @throws {CodeHostAccessLost | CodeHostUnavailable}
 */
export async function refreshTokens(codeHost: CodeHost, refreshToken: string): Promise<GrantedTokens> {
  return granted(codeHost, async ({ server, client, authenticate, options }) => {
    const response = await refreshTokenGrantRequest(server, client, authenticate, refreshToken, options());
    requireAnswer(response);
    return processRefreshTokenResponse(server, client, response);
  });
}

type OauthClient = ReturnType<typeof oauthClient>;

function oauthClient({ webUrl }: CodeHost, { clientId, clientSecret }: CodeHostApp) {
  const server: AuthorizationServer = {
    issuer: `${webUrl}/login/oauth`,
    token_endpoint: `${webUrl}/login/oauth/access_token`,
  };
  const client: Client = { client_id: clientId };
  return {
    server,
    client,
    authenticate: ClientSecretPost(clientSecret),
    options: () => ({
      // Plain HTTP only where the operator says so in the address: the stand-in on a laptop.
      [allowInsecureRequests]: webUrl.startsWith('http://'),
      signal: AbortSignal.timeout(codeHostTimeoutMs),
    }),
  };
}

function requireAnswer({ status }: Response): void {
  if (status >= 500) throw new CodeHostUnavailable({ cause: new Error(`The code host answered ${status}`) });
}

type Trade = (oauth: OauthClient) => Promise<TokenEndpointResponse>;

/** A trade that is refused for the application's secret has not used up its code or token. */
const granted = (codeHost: CodeHost, trade: Trade): Promise<GrantedTokens> =>
  asApplication(codeHost, (app) => tokensOf(trade, oauthClient(codeHost, app)));

async function tokensOf(trade: Trade, oauth: OauthClient): Promise<GrantedTokens> {
  try {
    const tokens = await trade(oauth);
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? null,
      expiresIn: tokens.expires_in ?? null,
    };
  } catch (cause) {
    if (cause instanceof CodeHostUnavailable) throw cause;
    // The library names what the code host answered; anything else is the way there.
    if (cause instanceof TypeError || isTimeout(cause)) throw new CodeHostUnavailable({ cause });
    throw new CodeHostAccessLost('The code host did not accept the sign-in; sign in again');
  }
}

const isTimeout = (cause: unknown) =>
  cause instanceof Error && ['TimeoutError', 'AbortError'].includes(cause.name);

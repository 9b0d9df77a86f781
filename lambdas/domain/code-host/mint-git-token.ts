import { createPrivateKey } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import * as z from 'zod/mini';
import { asApplication, type CodeHost, type CodeHostApp, type RepositoryPermission } from './code-host.js';
import { CodeHostAccessLost } from './errors.js';
import { codeHostRequest } from './request.js';

const InstallationToken = z.object({ token: z.string(), expires_at: z.string() });

/** The code host allows at most ten minutes, and its clock may run behind ours. */
const appTokenLifetimeSeconds = 9 * 60;
const clockSkewSeconds = 60;

export interface GitToken {
  readonly token: string;
  /** ISO 8601; about an hour ahead. */
  readonly expiresAt: string;
}

export interface GitTokenRequest {
  readonly installationId: string;
  readonly repository: string;
  readonly permission: RepositoryPermission;
  readonly now: Date;
}

/**
 * A token for git that opens this one repository and nothing else, by the authority of the
 * installation. That may be more than the person has, so the token can do only what `permission`
 * says.
 *
 * @throws {CodeHostAccessLost | CodeHostNotFound | CodeHostUnavailable}
 */
export async function mintGitToken(codeHost: CodeHost, request: GitTokenRequest): Promise<GitToken> {
  const { permission } = request;
  const contents = { contents: permission, metadata: 'read' };
  const minted = await asApplication(codeHost, async (app) => {
    const token = await appToken(app, request.now);
    const ask = (permissions: object) => askForToken(codeHost, request, { token, permissions });
    return ask({ ...contents, pull_requests: permission }).catch((error: unknown) => {
      // The installation has no permission for pull requests. Git works without it.
      if (error instanceof CodeHostAccessLost && error.isUnprocessable) return ask(contents);
      throw error;
    });
  });
  return { token: minted.token, expiresAt: minted.expires_at };
}

function askForToken(
  codeHost: CodeHost,
  { installationId, repository }: GitTokenRequest,
  { token, permissions }: { readonly token: string; readonly permissions: object },
) {
  const [, name = repository] = repository.split('/');
  return codeHostRequest(codeHost, {
    method: 'POST',
    path: `/app/installations/${installationId}/access_tokens`,
    token,
    body: { repositories: [name], permissions },
    schema: InstallationToken,
    what: 'Installation',
  });
}

/** Proves to the code host that our application asks. */
async function appToken({ appId, privateKey }: CodeHostApp, now: Date): Promise<string> {
  // The code host hands out PKCS #1, which jose does not read; node reads either.
  const pkcs8 = createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'pem' });
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setIssuedAt(seconds - clockSkewSeconds)
    .setExpirationTime(seconds + appTokenLifetimeSeconds)
    .sign(await importPKCS8(pkcs8.toString(), 'RS256'));
}

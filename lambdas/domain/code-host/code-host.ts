import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { CodeHostAccessLost } from './errors.js';

/** The application registered at the code host; stored in Secrets Manager under these names. */
export const CodeHostApp = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  appId: z.string(),
  /** PEM, RSA. */
  privateKey: z.string(),
});
export type CodeHostApp = z.infer<typeof CodeHostApp>;

/** A GitHub-compatible code host, and our application on it. */
export interface CodeHost {
  /** Where people go: sign-in pages, repositories. */
  readonly webUrl: string;
  readonly apiUrl: string;
  /** The application's name in web addresses. */
  readonly appSlug: string;
  /** Kept for minutes: the operator may replace the application's secrets. */
  app(): Promise<CodeHostApp>;
  /** Read again, unless it was read just now. */
  appAfterRefusal(): Promise<CodeHostApp>;
}

/**
 * A call that needs the application's secrets. When the code host refuses it and the secrets were
 * replaced since, it is made once more.
 */
export async function asApplication<Result>(
  codeHost: Pick<CodeHost, 'app' | 'appAfterRefusal'>,
  call: (app: CodeHostApp) => Promise<Result>,
): Promise<Result> {
  const app = await codeHost.app();
  try {
    return await call(app);
  } catch (refusal) {
    if (!(refusal instanceof CodeHostAccessLost)) throw refusal;
    const present = await codeHost.appAfterRefusal();
    if (isDeepStrictEqual(present, app)) throw refusal;
    return call(present);
  }
}

/** `<owner>/<name>`, as the code host writes it. */
export const RepositoryName = z.string().check(
  z.maxLength(140),
  z.regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, 'Must be owner/name'),
  z.refine((name) => !/\/\.{1,2}$/.test(name), 'Must be owner/name'),
);
export type RepositoryName = z.infer<typeof RepositoryName>;

/** The code host's own id of an installation of our application. */
export const InstallationId = z.string().check(z.regex(/^[0-9]{1,20}$/));

/** What may be done with a repository: read it, or push to it too. */
export const RepositoryPermission = z.enum(['read', 'write']);
export type RepositoryPermission = z.infer<typeof RepositoryPermission>;

/** A call waits no longer: the function that makes it has 10 s in all. */
export const codeHostTimeoutMs = 4_000;

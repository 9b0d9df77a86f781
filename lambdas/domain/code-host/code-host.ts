import * as z from 'zod/mini';

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
  /** Read when it is first needed, and kept. */
  app(): Promise<CodeHostApp>;
}

/** `<owner>/<name>`, as the code host writes it. */
export const RepositoryName = z
  .string()
  .check(z.maxLength(140), z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/));
export type RepositoryName = z.infer<typeof RepositoryName>;

/** The code host's own id of an installation of our application. */
export const InstallationId = z.string().check(z.regex(/^[0-9]{1,20}$/));

/** What may be done with a repository: read it, or push to it too. */
export const RepositoryPermission = z.enum(['read', 'write']);
export type RepositoryPermission = z.infer<typeof RepositoryPermission>;

/** A call waits no longer: the function that makes it has 10 s in all. */
export const codeHostPatienceMs = 4_000;

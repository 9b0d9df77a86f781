import type { CodeHost } from './code-host.js';
import { CodeHostNotFound } from './errors.js';
import { callCodeHost } from './request.js';

export interface RepositoryFile {
  /** Of a person who can see the repository. */
  readonly token: string;
  readonly repository: string;
  readonly path: string;
  /** The branch; the default branch of the repository when absent. */
  readonly ref: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * The text of a file of a repository; undefined when there is none.
 *
 * @throws {RepositoryFileTooLarge | CodeHostUnavailable | CodeHostAccessLost}
 */
export async function readRepositoryFile(
  codeHost: Pick<CodeHost, 'apiUrl'>,
  { token, repository, path, ref, maxBytes, signal }: RepositoryFile,
): Promise<string | undefined> {
  const query = ref === undefined ? '' : `?ref=${encodeURIComponent(ref)}`;
  try {
    const response = await callCodeHost(codeHost, {
      path: `/repos/${repository}/contents/${path}${query}`,
      accept: 'application/vnd.github.raw+json',
      what: 'File',
      token,
      signal,
    });
    return await textOf(response, maxBytes);
  } catch (error) {
    if (error instanceof CodeHostNotFound) return undefined;
    throw error;
  }
}

class RepositoryFileTooLarge extends Error {
  override readonly name = 'RepositoryFileTooLarge';
}

async function textOf({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new RepositoryFileTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

import * as z from 'zod/mini';
import type { CodeHost } from './code-host.js';
import { CodeHostAccessLost } from './errors.js';
import { codeHostRequest } from './request.js';

/**
 * Ends an installation token at the code host. A token that has ended already is no failure.
 *
 * @throws {CodeHostUnavailable} it may still work
 */
export async function revokeGitToken(codeHost: CodeHost, token: string): Promise<void> {
  try {
    await codeHostRequest(codeHost, {
      method: 'DELETE',
      path: '/installation/token',
      token,
      schema: z.unknown(),
      what: 'Token',
    });
  } catch (error) {
    if (!(error instanceof CodeHostAccessLost)) throw error;
  }
}

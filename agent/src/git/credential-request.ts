import type { GitTokenResult } from '../../../protocol/callbacks.js';
import { type LoopbackAlias, seenFromContainers } from '../workspaces/loopback-alias.js';

export interface CredentialSource {
  token(): Promise<GitTokenResult>;
  /** The code host has refused this token. */
  reject(token: string): void;
  readonly loopbackAlias?: LoopbackAlias;
}

/** Answers one request of git's `credential-cache` client; only the workspace's own code host gets an answer. */
export async function answerCredentialRequest(request: string, source: CredentialSource): Promise<string> {
  const fields = new Map<string, string>();
  for (const line of request.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1));
  }
  const refused = fields.get('action') === 'erase' ? fields.get('password') : undefined;
  if (refused !== undefined) source.reject(refused);
  if (fields.get('action') !== 'get') return '';
  const { token, username, cloneUrl } = await source.token();
  const { protocol, host } = new URL(cloneUrl);
  const { host: hostInside } = new URL(seenFromContainers(cloneUrl, source.loopbackAlias ?? null));
  if (fields.get('protocol') !== protocol.slice(0, -1)) return '';
  if (fields.get('host') !== host && fields.get('host') !== hostInside) return '';
  return `username=${username}\npassword=${token}\n`;
}

import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { hashText } from '../../shared/hash-text.js';
import { type ApplicationKey, pushAuthorization } from './application-key.js';
import { encryptPush } from './encrypt-push.js';
import { PrivateAddress, publicLookup } from './push-address.js';
import type { PushSubscription } from './push-subscription.js';

export interface PushSender {
  readonly key: ApplicationKey;
  readonly subject: string;
  /** The origin of the laptop's push service; only there. */
  readonly local: string | undefined;
  readonly now: Date;
}

export interface PushMessage {
  /** A later message of the same tag replaces one that waits at the push service. */
  readonly tag: string;
  readonly body: object;
}

/** `gone`: nothing is ever delivered there. `failed`: an attempt later may succeed. */
export type PushOutcome = 'sent' | 'gone' | 'refused' | 'failed';

const timeoutMs = 5_000;
/** A notification is still of use after a day. */
const ttlSeconds = 24 * 60 * 60;

/** One request of at most five seconds. Redirects are not followed, and the answer is not read. */
export async function sendPush(
  { endpoint, p256dh, auth }: PushSubscription,
  { tag, body }: PushMessage,
  sender: PushSender,
): Promise<PushOutcome> {
  const url = new URL(endpoint);
  const keys = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') };
  const content = encryptPush(Buffer.from(JSON.stringify(body)), keys);
  const headers = {
    authorization: pushAuthorization(sender, url.origin, sender.now),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    'content-length': content.length,
    ttl: ttlSeconds,
    urgency: 'normal',
    topic: hashText(tag).slice(0, 32),
  };
  try {
    return outcomeOf(await post(url, { headers, content, isLocal: url.origin === sender.local }));
  } catch (error) {
    return error instanceof PrivateAddress ? 'gone' : 'failed';
  }
}

interface Posted {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly content: Buffer;
  readonly isLocal: boolean;
}

function post(url: URL, { headers, content, isLocal }: Posted): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, signal: AbortSignal.timeout(timeoutMs), agent: false };
    const request = isLocal ? overHttp(url, options) : overHttps(url, { ...options, lookup: publicLookup });
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(content);
  });
}

function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return 'sent';
  if (status === 404 || status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'failed' : 'refused';
}

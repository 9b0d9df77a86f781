import { createECDH, createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** The key by which push services know this deployment (RFC 8292, "VAPID"). */
export interface ApplicationKey {
  /** The uncompressed point in base64url, as browsers take it. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Push services refuse more than a day. */
const validSeconds = 12 * 60 * 60;

/**
 * The key pair that follows from a random text, so that Secrets Manager can generate the secret and
 * no key is stored. One text in 2^32 gives no valid scalar at first.
 */
export function applicationKeyOf(secret: string): ApplicationKey {
  const pair = createECDH('prime256v1');
  for (let attempt = 0; ; attempt += 1) {
    try {
      pair.setPrivateKey(createHash('sha256').update(`web push ${attempt}\n${secret}`).digest());
      break;
    } catch (error) {
      if (attempt > 8) throw error;
    }
  }
  const point = pair.getPublicKey();
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256', d: pair.getPrivateKey('base64url') },
    ...{ x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) },
  };
  return {
    publicKey: point.toString('base64url'),
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
  };
}

interface Sender {
  readonly key: ApplicationKey;
  /** Where the operator of a push service finds this deployment. */
  readonly subject: string;
}

/** The `Authorization` of a message to this origin. It is no proof at any other push service. */
export function pushAuthorization({ key, subject }: Sender, origin: string, now: Date): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const exp = Math.floor(now.getTime() / 1_000) + validSeconds;
  const signed = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode({ aud: origin, exp, sub: subject })}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${key.publicKey}`;
}

import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { EncryptJWT } from 'jose';
import { type Claims, encode, type Issuer, newIssuer, signClaims, signText } from './issuer.js';

export type Forgery = readonly [what: string, token: string];

/** Longer than any request that the platform passes on. */
const huge = 256 * 1024;

/** Tokens with valid claims and forged signatures. No verifier may fetch the URL `elsewhere`. */
export async function forgedSignatures(
  issuer: Issuer,
  claims: Claims,
  elsewhere: string,
): Promise<readonly Forgery[]> {
  const good = signClaims(issuer, claims);
  return [
    ...unsigned(good),
    ...withSharedSecrets(issuer, claims),
    ...(await withOwnKeys(issuer, claims, elsewhere)),
    ...withKeyIds(issuer, claims),
    ...withHeaders(issuer, claims),
    ...brokenTexts(good),
    ['an encrypted token', await encrypted(issuer, claims)],
  ];
}

const parts = (token: string): readonly [string, string, string] => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
};

function unsigned(good: string): readonly Forgery[] {
  const [, payload, signature] = parts(good);
  return ['none', 'None', 'NONE', 'nOnE', '', ' none', 'none '].flatMap((alg) => [
    [`alg ${JSON.stringify(alg)} without a signature`, `${encode({ alg })}.${payload}.`] as const,
    [
      `alg ${JSON.stringify(alg)} with another's signature`,
      `${encode({ alg })}.${payload}.${signature}`,
    ] as const,
  ]);
}

/** The public key in each form that a careless verifier could hand on as a secret. */
function withSharedSecrets({ jwk }: Issuer, claims: Claims): readonly Forgery[] {
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  const secrets: Readonly<Record<string, string | Buffer>> = {
    'raw bytes': Buffer.from(jwk.x, 'base64url'),
    base64url: jwk.x,
    pem: key.export({ format: 'pem', type: 'spki' }),
    der: key.export({ format: 'der', type: 'spki' }),
    jwk: JSON.stringify(jwk),
    kid: jwk.kid,
    nothing: '',
  };
  return Object.entries(secrets).flatMap(([form, secret]) =>
    ([256, 384, 512] as const).map((bits) => {
      const input = `${encode({ alg: `HS${bits}`, typ: 'JWT', kid: jwk.kid })}.${encode(claims)}`;
      const mac = createHmac(`sha${bits}`, secret).update(input).digest('base64url');
      return [`HS${bits} with the public key as ${form}`, `${input}.${mac}`] as const;
    }),
  );
}

async function withOwnKeys(issuer: Issuer, claims: Claims, elsewhere: string): Promise<readonly Forgery[]> {
  const { kid } = issuer.jwk;
  const own = await newIssuer();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = (header: object, key: KeyObject, hash: string | null = null): string => {
    const input = `${encode({ typ: 'JWT', ...header })}.${encode(claims)}`;
    const options = hash && key.asymmetricKeyType === 'ec' ? { dsaEncoding: 'ieee-p1363' as const } : {};
    return `${input}.${sign(hash, Buffer.from(input), { key, ...options }).toString('base64url')}`;
  };
  const brought: Readonly<Record<string, object>> = {
    'nothing else': { kid },
    'its own kid': { kid: own.jwk.kid },
    'no kid': {},
    jwk: { kid, jwk: own.jwk },
    'jwk and no kid': { jwk: own.jwk },
    jku: { kid, jku: `${elsewhere}/jwks.json` },
    x5u: { kid, x5u: `${elsewhere}/cert.pem` },
    x5c: { kid, x5c: [own.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')] },
    'x5t#S256': { kid, 'x5t#S256': own.jwk.kid },
    'an address as kid': { kid: `${elsewhere}/jwks.json` },
  };
  return [
    ...Object.entries(brought).map(
      ([what, header]) =>
        [`of an own key, with ${what}`, signed({ alg: 'EdDSA', ...header }, own.privateKey)] as const,
    ),
    ['RS256 of an own key', signed({ alg: 'RS256', kid }, rsa.privateKey, 'sha256')],
    ['ES256 of an own key', signed({ alg: 'ES256', kid }, ec.privateKey, 'sha256')],
    [
      'ES256 that brings its key',
      signed({ alg: 'ES256', jwk: ec.publicKey.export({ format: 'jwk' }) }, ec.privateKey, 'sha256'),
    ],
    ['of another deployment', signClaims(own, claims)],
  ];
}

function withKeyIds({ privateKey }: Issuer, claims: Claims): readonly Forgery[] {
  // Signed by the true key: what decides is that none of these names it.
  const kids: readonly unknown[] = [
    ...['../../../../dev/null', "' OR '1'='1", '__proto__', 'constructor', '\u0000', 'x'.repeat(huge)],
    ...['%2e%2e%2f', '', ' '],
  ];
  return kids.map((kid) => [
    `kid ${JSON.stringify(kid).slice(0, 40)}`,
    signText(JSON.stringify({ alg: 'EdDSA', kid }), JSON.stringify(claims), privateKey),
  ]);
}

/** Headers that change the signed bytes, or that parsers interpret differently. */
function withHeaders({ privateKey, jwk: { kid } }: Issuer, claims: Claims): readonly Forgery[] {
  const payload = JSON.stringify(claims);
  const ofTrueKey = (header: string): string => signText(header, payload, privateKey);
  const twice = `{"alg":"none","alg":"EdDSA","kid":"${kid}"}`;
  return [
    ['critical extension unknown', ofTrueKey(JSON.stringify({ alg: 'EdDSA', kid, crit: ['x'], x: 1 }))],
    ['critical extension empty', ofTrueKey(JSON.stringify({ alg: 'EdDSA', kid, crit: [] }))],
    ['unencoded payload', ofTrueKey(JSON.stringify({ alg: 'EdDSA', kid, crit: ['b64'], b64: false }))],
    ['another name of the algorithm', ofTrueKey(JSON.stringify({ alg: 'eddsa', kid }))],
    ['no algorithm', ofTrueKey(JSON.stringify({ kid }))],
    ['a list of algorithms', ofTrueKey(JSON.stringify({ alg: ['EdDSA'], kid }))],
    ['a header that is a list', ofTrueKey('[]')],
    ['a header that is null', ofTrueKey('null')],
    ['alg twice, unsigned', `${encode(twice)}.${encode(payload)}.`],
    ['alg twice, none last', ofTrueKey(`{"alg":"EdDSA","kid":"${kid}","alg":"none"}`)],
  ];
}

function brokenTexts(good: string): readonly Forgery[] {
  const [header, payload, signature] = parts(good);
  const bytes = Buffer.from(signature, 'base64url');
  const flipped = Buffer.from(bytes);
  flipped[0] = (flipped[0] ?? 0) ^ 1;
  return [
    ...['', '.', '..', '...', 'x', 'a.b', 'a.b.c', good.slice(0, good.length / 2)].map(
      (text) => [`the text ${JSON.stringify(text.slice(0, 10))}`, text] as const,
    ),
    ['no signature', `${header}.${payload}.`],
    ['no third part', `${header}.${payload}`],
    ['a fourth part', `${good}.x`],
    ['another payload', `${header}.${encode({ admin: true })}.${signature}`],
    ['a signature of zeros', `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`],
    ['a changed signature', `${header}.${payload}.${flipped.toString('base64url')}`],
    ['a shorter signature', `${header}.${payload}.${bytes.subarray(0, 63).toString('base64url')}`],
    [
      'a longer signature',
      `${header}.${payload}.${Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64url')}`,
    ],
    ['a signature with S above the order', `${header}.${payload}.${aboveOrder(bytes)}`],
    ['dots that only look so', good.replaceAll('.', '\u2024')],
    ['a payload of many levels', `${header}.${encode('['.repeat(20_000))}.${signature}`],
    ['a huge payload', `${header}.${'e'.repeat(huge)}.${signature}`],
    ['a huge header', `${'e'.repeat(huge)}.${payload}.${signature}`],
  ];
}

/** The signature with the group's order added to S. RFC 8032 requires verifiers to refuse it. */
function aboveOrder(signature: Buffer): string {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const little = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const s = little(signature.subarray(32)) + order;
  const hex = s.toString(16).padStart(64, '0');
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(hex, 'hex').reverse()]).toString('base64url');
}

/** To whoever takes the public key for a secret. */
const encrypted = ({ jwk }: Issuer, claims: Claims): Promise<string> =>
  new EncryptJWT({ ...claims })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: jwk.kid })
    .encrypt(Buffer.from(jwk.x, 'base64url'));

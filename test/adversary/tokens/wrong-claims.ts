import type { Forgery } from './forged-signatures.js';
import { type Claims, type Issuer, signClaims } from './issuer.js';

/** Of each claim, what a good token never says. */
const nonsense: Readonly<Record<string, (value: unknown) => unknown>> = {
  null: () => null,
  'a list of it': (value) => [value],
  'an empty list': () => [],
  'an object': () => ({}),
  true: () => true,
  'another type': (value) => (typeof value === 'number' ? String(value) : 7),
  'an empty text': () => '',
};

/** Ids and numbers that are near a good one. */
const near: Readonly<Record<string, (value: unknown) => unknown>> = {
  'in lower case': (value) => (typeof value === 'string' ? value.toLowerCase() : undefined),
  'with a space': (value) => (typeof value === 'string' ? `${value} ` : undefined),
  'with a look-alike': (value) =>
    typeof value === 'string' && /[ao0]/.test(value)
      ? value.replace(/a/, '\u0430').replace(/o/, '\u043e').replace(/0/, 'O')
      : undefined,
  'with a zero byte': (value) => (typeof value === 'string' ? `${value}\u0000` : undefined),
  'and a half': (value) => (typeof value === 'number' ? value + 0.5 : undefined),
};

export interface KindOfClaims {
  /** Good in every respect. */
  readonly claims: Claims;
  /** A good token can be without these. */
  readonly optional: readonly string[];
  /** Any string is a valid value of these claims. */
  readonly free: readonly string[];
}

/** Tokens that the issuer has signed and that claim what it never would; each must be refused. */
export function wrongClaims(
  issuer: Issuer,
  { claims, optional, free }: KindOfClaims,
  { audiences, now }: { readonly audiences: readonly string[]; readonly now: Date },
): readonly Forgery[] {
  const seconds = Math.floor(now.getTime() / 1_000);
  const signed = (change: Claims): string => signClaims(issuer, { ...claims, ...change });
  const text = JSON.stringify(claims);
  const others = audiences.filter((aud) => aud !== claims.aud);
  return [
    ...Object.keys(claims).flatMap((name) => ofClaim(issuer, { claims, name, optional, free })),
    ...others.flatMap((aud): readonly Forgery[] => [
      [`aud ${aud}`, signed({ aud })],
      [`aud ${aud} beside its own`, signed({ aud: [claims.aud, aud] })],
      [`aud ${aud} again, last`, signClaims(issuer, text.replace(/}$/, `,"aud":"${aud}"}`))],
    ]),
    ['another issuer', signed({ iss: 'https://elsewhere.example' })],
    ['an issuer below its own', signed({ iss: `${claims.iss}/x` })],
    ['an issuer with a slash', signed({ iss: `${claims.iss}/` })],
    ['an issuer in capitals', signed({ iss: String(claims.iss).toUpperCase() })],
    ['no expiry that a number holds', signClaims(issuer, text.replace(/"exp":\d+/, '"exp":1e400'))],
    ...([0, -1, seconds - 60, -1e308] as const).map((exp) => [`exp ${exp}`, signed({ exp })] as const),
    ['an expiry that is no whole second', signed({ exp: seconds + 60.5 })],
    ['not yet good', signed({ nbf: seconds + 3_600 })],
    ['not yet good, as a text', signed({ nbf: 'soon' })],
    ['issued in an hour', signed({ iat: seconds + 3_600, exp: seconds + 7_200 })],
    ['claims that are a list', signClaims(issuer, '[]')],
    ['claims that are null', signClaims(issuer, 'null')],
    ['claims that are a text', signClaims(issuer, '"x"')],
    ['no claims', signClaims(issuer, '{}')],
    ['claims that are no JSON', signClaims(issuer, '{')],
  ];
}

interface OfClaim {
  readonly claims: Claims;
  readonly name: string;
  readonly optional: readonly string[];
  readonly free: readonly string[];
}

function ofClaim(issuer: Issuer, { claims, name, optional, free }: OfClaim): readonly Forgery[] {
  const { [name]: value, ...rest } = claims;
  const changes = { ...nonsense, ...(free.includes(name) ? {} : near) };
  return [
    ...(optional.includes(name) ? [] : [[`no ${name}`, signClaims(issuer, rest)] as const]),
    ...Object.entries(changes).flatMap(([what, change]): readonly Forgery[] => {
      const changed = change(value);
      const isSame = changed === undefined || changed === value;
      const isFree = free.includes(name) && typeof changed === typeof value;
      return isSame || isFree
        ? []
        : [[`${name} ${what}`, signClaims(issuer, { ...claims, [name]: changed })]];
    }),
  ];
}

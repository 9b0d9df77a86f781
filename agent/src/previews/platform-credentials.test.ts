import { UnsecuredJWT } from 'jose';
import { expect, it } from 'vitest';
import { PlatformCredentials, withoutPlatformCookies } from './platform-credentials.js';

const issuer = 'https://berth.example';
const own = new UnsecuredJWT({}).setIssuer(issuer).encode();
const foreign = new UnsecuredJWT({}).setIssuer('https://elsewhere.example').encode();
const credentials = new PlatformCredentials(issuer);

it.each([
  ['', ''],
  ['?a=1&b', '?a=1&b'],
  [`?token=${own}`, ''],
  [`?a=%zz&token=${own}&b=+&&c`, '?a=%zz&b=+&&c'],
  [`?token=vite&token=${own}&token=${foreign}`, `?token=vite&token=${foreign}`],
  [`?%74oken=${own}&a`, '?a'],
  [`?mytoken=${own}`, `?mytoken=${own}`],
])('takes its own tokens and nothing else out of %j', (query, expected) => {
  expect(credentials.withoutToken(query)).toBe(expected);
});

it('finds the control-plane token among others', () => {
  expect(credentials.inQuery(`?token=vite&token=${own}`)).toBe(own);
  expect(credentials.inQuery(`?token=${foreign}`)).toBe(null);
});

it("distinguishes a control-plane bearer token from a service's token", () => {
  expect(credentials.bearer(`Bearer ${own}`)).toBe(own);
  expect(credentials.bearer(`bearer  ${own}`)).toBe(own);
  for (const other of [undefined, '', `Bearer ${foreign}`, 'Bearer x', 'Basic eDp5', own])
    expect(credentials.bearer(other)).toBe(null);
});

it.each([
  ['a=1; b=2', 'a=1; b=2'],
  ['vm_session=x', null],
  ['a=1;__Host-vm_session_01ARZ3NDEKTSV4RRFFQ69G5FAV=x;b=2', 'a=1;b=2'],
  ['a=1;vm_session_01ARZ3NDEKTSV4RRFFQ69G5FAV=x;b=2', 'a=1;b=2'],
  ['__Host-berth_session=x; __Secure-berth_x=y; __Host-own=z', '__Host-own=z'],
  ['vm_session_theirs=1', 'vm_session_theirs=1'],
  ['', null],
])('leaves a service its own cookies of %j', (header, expected) => {
  expect(withoutPlatformCookies(header)).toBe(expected);
});

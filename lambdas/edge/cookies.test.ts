import { expect, it } from 'vitest';
import { parseCookies, sessionCookieName } from './cookies.js';

const name = sessionCookieName;

it('reads the cookies of API Gateway and of one header alike', () => {
  expect([...parseCookies(['a=1', `${name}=x=y`])]).toEqual([...parseCookies([`a=1; \t${name}=x=y `])]);
  expect(parseCookies([`a=1; ${name}=x=y`]).get(name)).toBe('x=y');
});

it.each([
  ['twice with different values', `${name}=mine; ${name}=theirs`],
  ['in two headers', [`${name}=mine`, `${name}=theirs`]],
])('takes no session cookie that comes %s', (_, cookies) => {
  expect(parseCookies([cookies].flat()).get(name)).toBeUndefined();
});

it.each([
  ['a no-break space before it', `\u00a0${name}`],
  ['an en quad before it', `\u2000${name}`],
  ['an ideographic space after it', `${name}\u3000`],
  ['a byte order mark before it', `\ufeff${name}`],
  ['a vertical tab before it', `\u000b${name}`],
  ['no name and it in the value', `=${name}`],
  ['another case', name.toLowerCase()],
  ['a legacy attribute before it', `$Version=1,${name}`],
])('takes no name with %s for the session cookie', (_, tossed) => {
  expect(parseCookies([`${tossed}=theirs`]).get(name)).toBeUndefined();
  expect(parseCookies([`${tossed}=theirs; ${name}=mine`]).get(name)).toBe('mine');
});

it('takes the last of other cookies', () => {
  expect(parseCookies(['a=1; a=2; empty=; noise']).get('a')).toBe('2');
});

import { expect, it } from 'vitest';
import { redact, redactText } from './redact.js';

const jwt = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

it.each([
  ['a JWT', `got ${jwt} from it`, 'got [redacted] from it'],
  ['a JWT after a dash', `x-${jwt}`, 'x-[redacted]'],
  ['a bearer', 'Authorization: Bearer abcdef123', 'Authorization: Bearer [redacted]'],
  [
    'a token in a query',
    'GET /terminal/ws/multi?token=abc&x=1',
    'GET /terminal/ws/multi?token=[redacted]&x=1',
  ],
  ['a password in an address', 'https://me:pa55@host/x.git', 'https://[redacted]@host/x.git'],
  ['a variable', 'PATH=/bin POSTGRES_PASSWORD=hunter2', 'PATH=/bin POSTGRES_PASSWORD=[redacted]'],
  ['the key of a cloud', 'AWS_SECRET_ACCESS_KEY=wJalr/x+y', 'AWS_SECRET_ACCESS_KEY=[redacted]'],
  ['what is quoted', 'export API_KEY="a b"; MAX_TOKENS=9', 'export API_KEY=[redacted]; MAX_TOKENS=9'],
  [
    'a private key',
    'a\n-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\n\nMIIE\n-----END RSA PRIVATE KEY-----\nb',
    'a\n[redacted]\nb',
  ],
  ['a field of JSON', '{"dbPassword": "a\\"b", "port": 1}', '{"dbPassword": "[redacted]", "port": 1}'],
  ['a code host token', 'ghs_0123456789abcdef', '[redacted]'],
  ['nothing', 'Workspace ready in 3 s', 'Workspace ready in 3 s'],
])('redacts %s in a text', (_, text, clean) => {
  expect(redactText(text)).toBe(clean);
});

it('redacts fields by name at any depth and keeps the others', () => {
  const clean = redact({ nodeId: 'N', callbackToken: 'abc', inner: [{ Authorization: 'x', port: 8443 }] });

  expect(clean).toEqual({
    nodeId: 'N',
    callbackToken: '[redacted]',
    inner: [{ Authorization: '[redacted]', port: 8443 }],
  });
});

it('redacts the message, stack and cause of an error', () => {
  const error = new Error(`refused ${jwt}`, { cause: new Error('password=hunter2') });

  expect(JSON.stringify(redact({ error }))).not.toMatch(/eyJ|hunter2/);
});

it.each([
  'a',
  '0123456789abcdef',
  '-eyJaaaa',
  'eyJaaaa.',
  'a://',
  '://a:b',
  'token',
  '-token="',
  '-----BEGIN PRIVATE KEY-----',
])('comes to the end of a long text of nothing but %j', (part) => {
  const text = part.repeat(400_000 / part.length);

  expect(redactText(`${text} password=hunter2`)).not.toContain('hunter2');
});

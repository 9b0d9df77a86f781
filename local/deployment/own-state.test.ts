import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { portsFrom } from '../laptop-ports.js';
import { withFreshKeys, withFreshSecrets, withPorts } from './own-state.js';

const filesOf = (files: Readonly<Record<string, string>>) => new Map(Object.entries(files));

it('replaces the addresses of the four ports, and no other number', () => {
  const files = filesOf({
    'lambda.json': '"http://localhost:2000/a http://ws-{workspaceId}.localhost:2003 http://127.0.0.1:2001"',
    'sqs.json': '"http://localhost:20001 http://10.0.0.1:2000 2000 localhost:2004"',
  });

  expect(Object.fromEntries(withPorts(files, portsFrom(2000), portsFrom(3000)))).toEqual({
    'lambda.json': '"http://localhost:3000/a http://ws-{workspaceId}.localhost:3003 http://127.0.0.1:3001"',
    'sqs.json': '"http://localhost:20001 http://10.0.0.1:2000 2000 localhost:2004"',
  });
});

it('replaces each generated secret, in every file that has its value', () => {
  const [origin, webhook] = ['o'.repeat(48), 'w'.repeat(48)];
  const fresh = withFreshSecrets(
    filesOf({
      'secretsmanager.json': `{"SecretString": "${origin}", "b": {"SecretString": "{\\"current\\":\\"${webhook}\\"}"}}`,
      'lambda.json': `{"ORIGIN_SECRETS": "${origin},${origin}", "NAME": "${'n'.repeat(48)}"}`,
    }),
  );

  const secrets = JSON.parse(fresh.get('secretsmanager.json') ?? '');
  expect(secrets.SecretString).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(secrets.SecretString).not.toBe(origin);
  expect(JSON.parse(secrets.b.SecretString).current).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(JSON.parse(secrets.b.SecretString).current).not.toBe(webhook);
  expect(JSON.parse(fresh.get('lambda.json') ?? '')).toEqual({
    ORIGIN_SECRETS: `${secrets.SecretString},${secrets.SecretString}`,
    NAME: 'n'.repeat(48),
  });
});

it('replaces each key under its id, a pair of keys by a pair', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64');
  const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const state = {
    keys: {
      a: { KeyId: 'a', _symmetric_key_b64: Buffer.alloc(32).toString('base64') },
      b: { KeyId: 'b', _private_key_pem: pem, _public_key_der_b64: der },
    },
    aliases: { 'alias/a': 'a' },
  };

  const fresh = JSON.parse(
    withFreshKeys(filesOf({ 'kms.json': JSON.stringify(state) })).get('kms.json') ?? '',
  );

  expect(fresh).toMatchObject({ keys: { a: { KeyId: 'a' }, b: { KeyId: 'b' } }, aliases: state.aliases });
  expect(Buffer.from(fresh.keys.a._symmetric_key_b64, 'base64')).toHaveLength(32);
  expect(fresh.keys.a._symmetric_key_b64).not.toBe(state.keys.a._symmetric_key_b64);
  expect(fresh.keys.b._private_key_pem).not.toBe(pem);
  const own = createPublicKey(createPrivateKey(Buffer.from(fresh.keys.b._private_key_pem, 'base64')));
  expect(own.export({ type: 'spki', format: 'der' }).toString('base64')).toBe(
    fresh.keys.b._public_key_der_b64,
  );
});

it('refuses a key of another kind than it can make', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })).toString('base64');

  expect(() => withFreshKeys(filesOf({ 'kms.json': JSON.stringify({ _private_key_pem: pem }) }))).toThrow(
    'ec',
  );
});

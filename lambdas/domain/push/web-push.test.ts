import { createECDH, createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { applicationKeyOf, pushAuthorization } from './application-key.js';
import { encryptPush } from './encrypt-push.js';
import { isPublicAddress, isPushEndpoint, publicLookup } from './push-address.js';

const bytes = (text: string) => Buffer.from(text, 'base64url');

describe('encryptPush', () => {
  it('gives the message of RFC 8291, appendix A', () => {
    const key = createECDH('prime256v1');
    key.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
    const body = encryptPush(
      Buffer.from('When I grow up, I want to be a watermelon'),
      {
        p256dh: bytes(
          'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        ),
        auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
      },
      { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), key },
    );

    expect(body.toString('base64url')).toBe(
      [
        'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml',
        'mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT',
        'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
      ].join(''),
    );
  });
});

describe('the key of the deployment', () => {
  it('is the same for one secret, and signs for one push service and half a day', () => {
    const key = applicationKeyOf('a secret');
    expect(applicationKeyOf('a secret').publicKey).toBe(key.publicKey);
    expect(applicationKeyOf('another').publicKey).not.toBe(key.publicKey);
    expect(bytes(key.publicKey)).toHaveLength(65);

    const now = new Date('2026-11-27T00:00:00.000Z');
    const sender = { key, subject: 'https://berth.example.com' };
    const [, token = '', k] =
      /^vapid t=(\S+), k=(\S+)$/.exec(pushAuthorization(sender, 'https://push.example.net', now)) ?? [];
    const [header = '', claims = '', signature = ''] = token.split('.');
    expect(k).toBe(key.publicKey);
    expect(JSON.parse(bytes(header).toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
    expect(JSON.parse(bytes(claims).toString())).toEqual({
      ...{ aud: 'https://push.example.net', sub: 'https://berth.example.com' },
      exp: now.getTime() / 1_000 + 43_200,
    });
    const point = bytes(String(k));
    const jwk = {
      ...{ kty: 'EC', crv: 'P-256' },
      ...{ x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) },
    };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes(signature))).toBe(
      true,
    );
  });
});

describe('an endpoint', () => {
  it.each(['https://fcm.googleapis.com/fcm/send/a', 'https://web.push.apple.com./x?y=1'])(
    'may be %s',
    (url) => expect(isPushEndpoint(url, undefined)).toBe(true),
  );

  it.each([
    ...['http://push.example.net/a', 'https://push.example.net:8443/a', 'https://a:b@push.example.net/'],
    ...['https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://[::1]/', 'https://push/'],
    ...[
      'https://localhost/',
      'https://a.localhost/',
      'https://x.internal/',
      'https://x.local./',
      'no address',
    ],
    ...['https://169.254.169.254/latest/meta-data', 'https://1.2.3.4./', 'ftp://push.example.net/', 'data:,'],
  ])('may not be %s', (url) => expect(isPushEndpoint(url, undefined)).toBe(false));

  it('may be the push service of the laptop only where one is set', () => {
    const url = 'http://127.0.0.1:9000/a';
    expect(isPushEndpoint(url, 'http://127.0.0.1:9000')).toBe(true);
    expect(isPushEndpoint(url, 'http://127.0.0.1:9001')).toBe(false);
    expect(isPushEndpoint(url, undefined)).toBe(false);
  });

  it.each([...['8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111']])(
    'is connected to at %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...['10.1.2.3', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1'],
    ...['64:ff9b::a00:1', '2002:a00:1::', '2001:db8::1', 'ff02::1', 'fd00:ec2::254', 'name'],
  ])('is not connected to at %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it('is not connected to where its name leads to a private address', async () => {
    const error = await new Promise((resolve) => publicLookup('localhost', {}, resolve));
    expect(error).toMatchObject({ name: 'PrivateAddress' });
  });
});

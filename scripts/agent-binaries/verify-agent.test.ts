import { spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyToken } from '../../lambdas/domain/tokens/verify-token.js';
import { audiences } from '../../protocol/tokens.js';
import { LocalSigningKeys } from '../../test/support/local-signing-keys.js';
import { manifestOf } from './manifest.js';
import { platformName, platforms } from './platforms.js';
import { type SignedRelease, signRelease } from './sign-release.js';

const script = fileURLToPath(
  new URL('../../ami/files/usr/local/lib/berth/verify-agent.mjs', import.meta.url),
);
const release = '89abcdef0123456789abcdef0123456789abcdef';

let keys: LocalSigningKeys;
let folder: string;
let signed: SignedRelease;
let agentVersion: string;

const path = (name: string) => join(folder, name);
const contentOf = (platform: string) => `the agent for ${platform}`;

beforeAll(async () => {
  keys = await LocalSigningKeys.create();
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-agent-'));
  signed = await signedRelease(release);
  agentVersion = signed.manifest.agentVersion;
  writeFileSync(path('vm-agent'), contentOf('linux-amd64'));
  writeFileSync(path('manifest.jws'), signed.signature);
  writeFileSync(path('release-keys.json'), JSON.stringify({ keys: signed.keys }));
  writeFileSync(path('release.env'), `RELEASE=${release}\nAGENT_VERSION=${agentVersion}\nARCH=amd64\n`);
});

/** A release for all platforms, whose binaries are short texts. */
async function signedRelease(id: string): Promise<SignedRelease> {
  const binaries = platforms.map(({ os, arch }) => {
    const file = `vm-agent-${platformName({ os, arch })}`;
    const content = contentOf(platformName({ os, arch }));
    return {
      os,
      arch,
      file,
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
  });
  const manifest = manifestOf({ id, isModified: false }, binaries);
  writeFileSync(path('manifest.json'), JSON.stringify(manifest));
  writeFileSync(path('sbom.cdx.json'), '{}');
  return signRelease({ folder, manifest }, keys);
}

function check(...more: string[]) {
  const files = {
    binary: 'vm-agent',
    signature: 'manifest.jws',
    keys: 'release-keys.json',
    'release-env': 'release.env',
  };
  const args = Object.entries(files).map(([option, name]) => `--${option}=${path(name)}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args, ...more], {
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

/** @param reason words of the one line that the journal gets */
function expectRefused(reason: string, ...more: string[]) {
  const { status, text } = check(...more);
  expect(text).toMatch(/^verify-agent: refused: [^\n]+\n$/);
  expect(text).toContain(reason);
  expect(status).toBe(1);
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const payloadOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());

/** Replaces the signature by one of the deployment's own key, with this header and payload. */
async function signAgain(header: object, payload: object = payloadOf(signed.signature)) {
  const input = `${encode({ alg: 'EdDSA', typ: 'berth-release+jws', kid: keys.jwk.kid, ...header })}.${encode(payload)}`;
  const signature = Buffer.from(await keys.sign(Buffer.from(input))).toString('base64url');
  writeFileSync(path('manifest.jws'), `${input}.${signature}`);
}

describe('the check of the agent binary accepts', () => {
  it('the binary of the signed release', () => {
    expect(check()).toEqual({
      status: 0,
      text: `verify-agent: ${path('vm-agent')} is linux-amd64 of release ${release}\n`,
    });
  });

  it('a download for another platform, checked by hand', () => {
    writeFileSync(path('vm-agent'), contentOf('darwin-arm64'));

    expect(check(`--release=${release}`, '--platform=darwin-arm64').status).toBe(0);
    expectRefused('has SHA-256', `--release=${release}`, '--platform=linux-arm64');
  });
});

describe('the check of the agent binary refuses', () => {
  it('a binary with one changed byte, one more byte or none', () => {
    writeFileSync(path('vm-agent'), contentOf('linux-amd64').replace('t', 'u'));
    expectRefused('has SHA-256');
    writeFileSync(path('vm-agent'), contentOf('linux-amd64'));
    appendFileSync(path('vm-agent'), '\n');
    expectRefused('has SHA-256');
    writeFileSync(path('vm-agent'), '');
    expectRefused('has SHA-256');
  });

  it('the binary of another platform', () => {
    writeFileSync(path('vm-agent'), contentOf('linux-arm64'));

    expectRefused('has SHA-256');
  });

  it('a changed statement under the old signature', () => {
    const [header, , signature] = signed.signature.split('.');
    writeFileSync(path('vm-agent'), 'other');
    const sha256 = createHash('sha256').update('other').digest('hex');
    const binaries = [{ platform: 'linux-amd64', size: 5, sha256 }];
    const payload = encode({ ...payloadOf(signed.signature), binaries });
    writeFileSync(path('manifest.jws'), `${header}.${payload}.${signature}`);

    expectRefused('does not fit its content');
  });

  it('a signature by a key that the image does not trust, also under the id of one that it does', async () => {
    const other = await LocalSigningKeys.create();
    writeFileSync(path('release-keys.json'), JSON.stringify({ keys: [other.jwk] }));
    expectRefused('does not have the key');
    writeFileSync(path('release-keys.json'), JSON.stringify({ keys: [{ ...other.jwk, kid: keys.jwk.kid }] }));
    expectRefused('does not fit its content');
  });

  it('every algorithm but EdDSA', async () => {
    for (const alg of ['none', 'HS256', 'ES256', 'eddsa']) {
      await signAgain({ alg });
      expectRefused('not EdDSA');
    }
    const input = `${encode({ alg: 'HS256', typ: 'berth-release+jws', kid: keys.jwk.kid })}.${signed.signature.split('.')[1]}`;
    const mac = createHmac('sha256', Buffer.from(keys.jwk.x, 'base64url')).update(input).digest('base64url');
    writeFileSync(path('manifest.jws'), `${input}.${mac}`);
    expectRefused('not EdDSA');
    writeFileSync(path('manifest.jws'), `${input}.`);
    expectRefused('not a compact JWS');
  });

  it('a text of another type that the same key signed, such as a token', async () => {
    for (const typ of ['JWT', 'berth-release+JWS', undefined]) {
      await signAgain({ typ });
      expectRefused('not berth-release+jws');
    }
  });

  it('a header that asks for more', async () => {
    for (const more of [{ crit: ['b64'], b64: false }, { jwk: keys.jwk }]) {
      await signAgain(more);
      expectRefused('unknown fields');
    }
  });

  it('an older release or agent version than the image names', async () => {
    writeFileSync(path('manifest.jws'), (await signedRelease('0'.repeat(40))).signature);
    expectRefused('is of release 0000');
    await signAgain({}, { ...payloadOf(signed.signature), agentVersion: '0.0.1' });
    expectRefused('is of agent version 0.0.1');
  });

  it('a node that does not name its release, agent version and architecture', () => {
    for (const name of ['RELEASE', 'AGENT_VERSION', 'ARCH']) {
      const content = readFileSync(path('release.env'), 'utf8');
      writeFileSync(path('release.env'), content.replace(`${name}=`, 'OTHER='));
      expectRefused(`release.env has no ${name}`);
      writeFileSync(path('release.env'), content);
    }
    expectRefused('--release and --platform need each other', `--release=${release}`);
  });

  it('a statement that names no binary of the platform, or two', async () => {
    const payload = payloadOf(signed.signature);
    await signAgain({}, { ...payload, binaries: [] });
    expectRefused('does not name one binary for linux-amd64');
    await signAgain({}, { ...payload, binaries: [...payload.binaries, ...payload.binaries] });
    expectRefused('does not name one binary for linux-amd64');
  });

  it('a node on which one of the four files is missing or empty', () => {
    for (const name of ['vm-agent', 'manifest.jws', 'release-keys.json', 'release.env']) {
      const content = readFileSync(path(name));
      rmSync(path(name));
      expectRefused(`ENOENT: no such file or directory, open '${path(name)}'`);
      writeFileSync(path(name), '');
      expectRefused('');
      writeFileSync(path(name), content);
    }
    expect(check().status).toBe(0);
  });
});

describe('the signature of a release', () => {
  it('is the same each time, and within the 4096 bytes that KMS signs', async () => {
    expect((await signedRelease(release)).signature).toBe(signed.signature);
    expect(signed.signature.length).toBeLessThan(4096);
  });

  it('is accepted as no kind of token', async () => {
    const kinds = Object.keys(audiences) as (keyof typeof audiences)[];
    for (const kind of kinds)
      await expect(
        verifyToken(keys, kind, { token: signed.signature, now: new Date() }),
      ).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });
});

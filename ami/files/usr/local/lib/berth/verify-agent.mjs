// Checks the agent's binary against the signature of its release: Ed25519, with the image's keys
// only. Needs only Node. Without arguments it checks this node; docs/node-image.md shows how to
// check a download.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    binary: { type: 'string', default: '/usr/local/bin/vm-agent' },
    signature: { type: 'string', default: '/etc/berth/manifest.jws' },
    keys: { type: 'string', default: '/etc/berth/release-keys.json' },
    /** Names RELEASE, AGENT_VERSION and ARCH. The next two options replace it. */
    'release-env': { type: 'string', default: '/etc/berth/release.env' },
    release: { type: 'string' },
    platform: { type: 'string' },
  },
});

class Refused extends Error {}

function refuseUnless(condition, reason) {
  if (!condition) throw new Refused(reason);
}

try {
  const expected = expectedRelease();
  const signed = signedRelease(read(values.signature).trim(), JSON.parse(read(values.keys)).keys);
  refuseUnless(
    signed.release === expected.release,
    `the signature is of release ${signed.release}, not ${expected.release}`,
  );
  refuseUnless(
    !expected.agentVersion || signed.agentVersion === expected.agentVersion,
    `the signature is of agent version ${signed.agentVersion}, not ${expected.agentVersion}`,
  );
  const entries = signed.binaries.filter(({ platform }) => platform === expected.platform);
  refuseUnless(entries.length === 1, `the signature does not name one binary for ${expected.platform}`);
  const sha256 = await hashOf(values.binary);
  refuseUnless(
    sha256 === entries[0].sha256,
    `${values.binary} has SHA-256 ${sha256}, the signature says ${entries[0].sha256}`,
  );
  process.stdout.write(
    `verify-agent: ${values.binary} is ${expected.platform} of release ${signed.release}\n`,
  );
} catch (error) {
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  process.stderr.write(`verify-agent: refused: ${reason}\n`);
  process.exitCode = 1;
}

function expectedRelease() {
  const { release, platform } = values;
  if (release || platform) {
    refuseUnless(release && platform, '--release and --platform need each other');
    return { release, platform };
  }
  const env = new Map(
    read(values['release-env'])
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  );
  for (const name of ['RELEASE', 'AGENT_VERSION', 'ARCH'])
    refuseUnless(env.get(name), `${values['release-env']} has no ${name}`);
  return {
    release: env.get('RELEASE'),
    agentVersion: env.get('AGENT_VERSION'),
    platform: `linux-${env.get('ARCH')}`,
  };
}

/** The payload of the JWS. Algorithm and type are fixed here: the header chooses the key only. */
function signedRelease(jws, keys) {
  refuseUnless(/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws), `${values.signature} is not a compact JWS`);
  const [header, payload, signature] = jws.split('.');
  const { alg, typ, kid, ...others } = decode(header);
  refuseUnless(alg === 'EdDSA', `the algorithm of the signature is ${alg}, not EdDSA`);
  refuseUnless(typ === 'berth-release+jws', `the type of the signature is ${typ}, not berth-release+jws`);
  refuseUnless(Object.keys(others).length === 0, 'the header of the signature has unknown fields');
  const found = keys.filter((key) => key.kid === kid && key.kty === 'OKP' && key.crv === 'Ed25519');
  refuseUnless(found.length === 1, `${values.keys} does not have the key ${kid} of the signature`);
  const { kty, crv, x } = found[0];
  const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
  const isValid = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  refuseUnless(isValid, 'the signature does not fit its content');
  return decode(payload);
}

async function hashOf(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

function read(path) {
  return readFileSync(path, 'utf8');
}

function decode(part) {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}

// What a machine that was launched to wait does at each boot. Its first user data names no node:
// it reads its disk whole, because EC2 loads each block of an image at its first use, and waits to
// be stopped. Before a later start the control plane replaces the user data, which cloud-init does
// not read again: this writes the environment of the agent from it. Needs only Node.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    metadata: { type: 'string', default: 'http://169.254.169.254' },
    root: { type: 'string', default: '/' },
  },
});
const nodeEnv = '/etc/svc/node.env';

const say = (text) => process.stdout.write(`${text}\n`);

async function metadata(path, options) {
  const answer = await fetch(`${values.metadata}/latest/${path}`, {
    ...options,
    signal: AbortSignal.timeout(5_000),
  });
  if (!answer.ok) throw new Error(`The metadata service answered ${answer.status}`);
  return answer.text();
}

async function userData() {
  const headers = { 'X-aws-ec2-metadata-token-ttl-seconds': '60' };
  const token = await metadata('api/token', { method: 'PUT', headers });
  return metadata('user-data', { headers: { 'X-aws-ec2-metadata-token': token } });
}

/** `#cloud-config` and a body of JSON, as the control plane writes it. */
function environmentIn(text) {
  const { write_files: files } = JSON.parse(text.slice(text.indexOf('\n') + 1));
  return files.find(({ path }) => path === nodeEnv)?.content;
}

function readDisk() {
  const { stdout } = spawnSync('findmnt', ['-no', 'SOURCE', '/'], { encoding: 'utf8' });
  const { status } = spawnSync('dd', [`if=${stdout.trim()}`, 'of=/dev/null', 'bs=4M', 'status=none']);
  say(status === 0 ? 'The disk was read whole' : 'The disk could not be read whole');
}

const environment = environmentIn(await userData());
if (environment === undefined) {
  say('The machine waits for its node');
  readDisk();
} else {
  const folder = join(values.root, 'etc/svc');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(values.root, nodeEnv), environment, { mode: 0o600 });
  rmSync(join(folder, 'warm'), { force: true });
  say('The machine has become a node');
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ulid } from 'ulid';
import { freePortRange } from '../../local/processes/ports.js';
import { AgentProcess } from '../integration/agent/agent-process.js';
import { FakeControlPlane } from '../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../integration/agent/workspace-request.js';
import { until } from '../support/until.js';
import { type Measurement, median } from './measurement.js';
import { hasNginx, Nginx } from './nginx.js';

const run = promisify(execFile);
const mebibyte = 1_024 * 1_024;
const rounds = 15;
/** As large as the agent gives raw files. */
const fileBytes = 50 * mebibyte;
const streamBytes = 512 * mebibyte;

/**
 * Raw files and previews by way of the agent, and the same by way of nginx, both over TLS with the
 * same certificate to the same client (curl), turn by turn. What is previewed is a third nginx, in
 * a standalone workspace.
 */
export async function measurePreviews(): Promise<readonly Measurement[]> {
  if (!hasNginx()) {
    console.log(
      'No nginx here: raw files and previews are not measured. Debian: apt-get install nginx-light',
    );
    return [];
  }
  await using fake = await FakeControlPlane.start();
  await using agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', HEARTBEAT_INTERVAL: '60s' });
  await agent.start();
  const id = ulid();
  await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));
  await until('the workspace runs', async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return JSON.stringify(body).includes('"running"') || undefined;
  });
  const { folder } = agent;
  const repository = join(folder, 'workspaces', id, 'work', 'full');
  writeFileSync(join(folder, 'file'), randomBytes(fileBytes));
  writeFileSync(join(folder, 'stream'), Buffer.alloc(streamBytes));
  writeFileSync(join(folder, 'small'), 'hello\n'.repeat(20));
  copyFileSync(join(folder, 'file'), join(repository, 'file'));

  const first = await freePortRange(2);
  const [service, baseline] = [first, first + 1];
  const files = `root ${folder}; location /proxied/ { proxy_pass http://127.0.0.1:${service}/; }`;
  const tls = `ssl_certificate ${folder}/state/tls/node.pem; ssl_certificate_key ${folder}/state/tls/node.key;`;
  // The mark is what makes it a process of the workspace.
  const env = { SVC_WORKSPACE_FOLDER: join(folder, 'workspaces', id) };
  const server = `listen 127.0.0.1:${service}; root ${folder};`;
  await using _ = await Nginx.start({ folder, name: 'service', port: service, server, env });
  const listening = `listen 127.0.0.1:${baseline} ssl; ${tls} ${files}`;
  await using __ = await Nginx.start({ folder, name: 'baseline', port: baseline, server: listening });

  const certificate = join(folder, 'state/tls/node.pem');
  const authorization = `authorization: Bearer ${await fake.terminal(id)}`;
  const client: Client = { certificate, authorization };
  const ours = `https://127.0.0.1:${agent.port}/workspaces/${id}`;
  const theirs = `https://127.0.0.1:${baseline}`;
  return [
    ...(await compareDownloads('Raw file of 50 MiB', client, {
      ours: `${ours}/files/raw?path=file`,
      theirs: `${theirs}/file`,
      bytes: fileBytes,
    })),
    ...(await compareDownloads('Preview, stream of 512 MiB', client, {
      ours: `${ours}/ports/${service}/stream`,
      theirs: `${theirs}/proxied/stream`,
      bytes: streamBytes,
    })),
    ...(await compareRequests(client, {
      ours: `${ours}/ports/${service}/small`,
      theirs: `${theirs}/proxied/small`,
    })),
  ];
}

interface Client {
  readonly certificate: string;
  readonly authorization: string;
}

interface Sides {
  readonly ours: string;
  readonly theirs: string;
}

async function compareDownloads(
  name: string,
  client: Client,
  { bytes, ...sides }: Sides & { readonly bytes: number },
): Promise<readonly Measurement[]> {
  const samples: { ours: number; theirs: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const theirs = await download(client, sides.theirs, bytes);
    const ours = await download(client, sides.ours, bytes);
    // The first is to warm up.
    if (round > 0) samples.push({ ours, theirs });
  }
  const ratio = median(samples.map(({ ours, theirs }) => theirs / ours));
  const speed = (seconds: number) => Math.round(bytes / mebibyte / seconds);
  return [
    { name: `${name}, agent / nginx`, value: Math.round(ratio * 100) / 100, unit: 'x', atLeast: 0.7 },
    { name: '— agent', value: speed(median(samples.map(({ ours }) => ours))), unit: 'MiB/s' },
    { name: '— nginx', value: speed(median(samples.map(({ theirs }) => theirs))), unit: 'MiB/s' },
  ];
}

/** Seconds from the request to the last byte, with the connection made before. */
async function download({ certificate, authorization }: Client, url: string, bytes: number): Promise<number> {
  const format = '%{http_code} %{size_download} %{time_total} %{time_pretransfer}';
  const { stdout } = await run('curl', [
    '-s',
    '-o',
    '/dev/null',
    '--cacert',
    certificate,
    '-H',
    authorization,
    '-w',
    format,
    url,
  ]);
  const [status, size, total, before] = stdout.split(' ').map(Number);
  if (status !== 200 || size !== bytes)
    throw new Error(`${url.split('?')[0]} answered ${status}, ${size} bytes`);
  return Number(total) - Number(before);
}

/**
 * For comparison: small answers to 16 clients that keep their connections, where `wrk` is
 * installed.
 */
async function compareRequests(
  { authorization }: Client,
  { ours, theirs }: Sides,
): Promise<readonly Measurement[]> {
  const rate = async (url: string) => {
    const { stdout } = await run('wrk', ['-t1', '-c16', '-d3s', '-H', authorization, url]);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  };
  try {
    await rate(ours);
    const samples: { ours: number; theirs: number }[] = [];
    for (let round = 0; round < 3; round++)
      samples.push({ theirs: await rate(theirs), ours: await rate(ours) });
    return [
      {
        name: 'Preview, small answers, agent / nginx',
        value: Math.round(median(samples.map((sample) => sample.ours / sample.theirs)) * 100) / 100,
        unit: 'x',
      },
      { name: '— agent', value: Math.round(median(samples.map((sample) => sample.ours))), unit: '/s' },
    ];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

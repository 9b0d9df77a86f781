import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { MetadataService } from '../../support/acme/metadata-service.js';
import { type Faults, Pebble, whyNoPebble } from '../../support/acme/pebble.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';

const missing = await whyNoPebble();
if (missing) process.stderr.write(`${missing}\n`);

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of stack.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** A node with the address 127.0.0.1, whose authority is Pebble. */
async function node(
  faults: Faults = {},
  more: (pebble: Pebble) => Readonly<Record<string, string>> = () => ({}),
) {
  const pebble = await Pebble.start(faults);
  const fake = await FakeControlPlane.start();
  const metadata = await MetadataService.start('127.0.0.1');
  const agent = new AgentProcess(fake, {
    NODE_ROLE: 'standalone',
    ACME_DIRECTORY: pebble.directoryUrl,
    ACME_CONTACT: 'operator@example.com',
    ACME_TRUST_ANCHORS: Buffer.from(pebble.anchorsPem).toString('base64'),
    ACME_CHALLENGE_PORT: String(pebble.challengePort),
    AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url,
    ...more(pebble),
  });
  stack.push(pebble, fake, metadata, agent);
  await agent.start();
  return { pebble, fake, metadata, agent };
}

const byNodeId = { servername: nodeId.toLowerCase() };

const lastReport = (fake: FakeControlPlane) => fake.callsTo('/heartbeat').at(-1)?.body.certificate;

const reported = (fake: FakeControlPlane, state: string) =>
  until(`the node reports ${state}`, () => {
    const report = lastReport(fake) as Record<string, string> | undefined;
    return report?.state === state ? report : undefined;
  });

/** The certificate that a client gets which trusts only this authority, as a browser does. */
async function served(port: number, ca: string, to: ConnectionOptions = {}): Promise<X509Certificate> {
  const socket = connect({ host: '127.0.0.1', port, ca, ...to });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  if (!certificate) throw new Error('No certificate');
  return certificate;
}

describe.skipIf(missing)('a node whose authority is Pebble', () => {
  it.each<[string, Faults]>([
    ['', {}],
    [', which refuses half of the nonces', { refusedNonces: 50 }],
    [', which is slow', { isSlow: true }],
  ])('gets a short-lived certificate for its address%s', async (_, faults) => {
    const { pebble, fake, agent } = await node(faults);

    const report = await reported(fake, 'issued');

    const certificate = await served(agent.port, await pebble.rootPem());
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.validToDate.toISOString()).toBe(report.expiresAt);
    expect(certificate.validToDate.getTime() - certificate.validFromDate.getTime()).toBeLessThan(700_000);
  });

  it('keeps its own certificate for the control plane', async () => {
    const { pebble, fake, agent } = await node();
    await reported(fake, 'issued');

    const own = await served(agent.port, agent.certificate(), byNodeId);

    expect(own.toString()).toBe(fake.callsTo('/ready')[0]?.body.certificatePem);
    const root = await pebble.rootPem();
    await expect(served(agent.port, root, byNodeId)).rejects.toThrow('self-signed');
  });

  it('keeps the certificate over a restart, readable by its user only', async () => {
    const { pebble, fake, agent } = await node();
    await reported(fake, 'issued');
    const first = await served(agent.port, await pebble.rootPem());
    const files = readdirSync(join(agent.folder, 'state', 'tls'));
    for (const file of files) expect(statSync(join(agent.folder, 'state', 'tls', file)).mode & 0o77).toBe(0);

    await agent.kill('SIGKILL');
    fake.calls.length = 0;
    await agent.start();
    await reported(fake, 'issued');

    expect((await served(agent.port, await pebble.rootPem())).serialNumber).toBe(first.serialNumber);
  });

  it('renews at half of the life, and open connections stay', async () => {
    const { pebble, fake, agent } = await node({ validitySeconds: 20 });
    const first = await reported(fake, 'issued');
    const open = connect({ host: '127.0.0.1', port: agent.port, ca: await pebble.rootPem() });
    await once(open, 'secureConnect');
    const before = open.getPeerX509Certificate()?.serialNumber;

    await until('the node reports a later expiry', () => {
      const report = lastReport(fake) as Record<string, string> | undefined;
      return report?.state === 'issued' && report.expiresAt !== first.expiresAt ? true : undefined;
    });

    expect((await served(agent.port, await pebble.rootPem())).serialNumber).not.toBe(before);
    open.write('GET /health HTTP/1.1\r\nHost: node\r\n\r\n');
    expect(String(await once(open, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    open.destroy();
  });

  it('orders again after its address changed', async () => {
    const { metadata, pebble, fake, agent } = await node({}, () => ({ VM_AGENT_HOST: '0.0.0.0' }));
    await reported(fake, 'issued');

    metadata.address = '127.0.0.2';
    await agent.kill('SIGTERM');
    fake.calls.length = 0;
    await agent.start();
    await reported(fake, 'issued');

    expect(
      (await served(agent.port, await pebble.rootPem(), { host: '127.0.0.2' })).checkIP('127.0.0.2'),
    ).toBe('127.0.0.2');
  });

  it('reports why a validation failed and when it tries again, and does not order at each start', async () => {
    const { fake, agent } = await node({}, ({ otherPort }) => ({ ACME_CHALLENGE_PORT: String(otherPort) }));
    const failed = await reported(fake, 'failed');
    expect(failed.reason).toMatch(/answered connection: .*refused/);
    expect(Date.parse(failed.nextAttemptAt ?? '')).toBeGreaterThan(Date.now());

    await agent.kill('SIGKILL');
    fake.calls.length = 0;
    await agent.start();

    expect(await reported(fake, 'failed')).toEqual(failed);
    expect(agent.output).not.toMatch(/No certificate was issued/);
    const own = await served(agent.port, agent.certificate());
    expect(own.toString()).toBe(fake.callsTo('/ready')[0]?.body.certificatePem);
  });

  it('listens on the challenge port only during a validation', async () => {
    const { pebble, fake } = await node();
    await reported(fake, 'issued');

    const socket = connectPlain(pebble.challengePort, '127.0.0.1');

    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});

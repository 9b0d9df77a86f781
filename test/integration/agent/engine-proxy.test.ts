import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestsTo } from '../../../agent/src/sandbox/engine/engine-address.js';
import { EngineProxy } from '../../../agent/src/sandbox/engine/engine-proxy.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';

/** An answer to a call of gRPC without any content. */
const emptyMessage = Buffer.alloc(5);

describe.skipIf(!hasDocker())(
  'the engine as a build sees it (with a Docker engine and the base image)',
  () => {
    const refused: string[] = [];
    let folder: string;
    let container: string;
    let other: string;
    let door: EngineProxy;

    beforeEach(async () => {
      refused.length = 0;
      folder = mkdtempSync(join(tmpdir(), 'door-'));
      container = docker('run', '-d', '--rm', baseImage, 'sleep', '60');
      other = docker('run', '-d', '--rm', baseImage, 'sleep', '60');
      door = await EngineProxy.open({
        folder,
        scope: { workspaceId: '01ABC', labels: {}, containerId: container, hasBuildKit: true, place: null },
        allowedHosts: [],
        request: await requestsTo(new Docker()),
        onRefused: (reason) => refused.push(reason),
      });
    });

    afterEach(async () => {
      await door[Symbol.asyncDispose]();
      docker('rm', '-f', container, other);
    });

    /** This process serves the door: it must not wait for the docker command. */
    const through = (...args: string[]): Promise<string> =>
      new Promise((resolve) => {
        const all = ['--host', `unix://${folder}/engine.sock`, ...args];
        execFile('docker', all, { timeout: 20_000 }, (_, stdout) => resolve(stdout.trim()));
      });

    it("runs programs in the run's own container, with input and output", async () => {
      expect(await through('exec', container, 'sh', '-c', 'echo one; echo two >&2; exit 3')).toBe('one');
      expect(await through('inspect', '--format', '{{.Id}}', '--type', 'container', container)).toBe(
        container,
      );
      expect(refused).toEqual([]);
    });

    it('runs no program in other containers or with more rights', async () => {
      expect(await through('exec', other, 'echo', 'one')).toBe('');
      expect(refused).not.toEqual([]);
      const rights = await through('exec', '--privileged', container, 'grep', 'CapBnd', '/proc/self/status');
      expect(rights).toBe(await through('exec', container, 'grep', 'CapBnd', '/proc/self/status'));
    });

    it('passes the protocol of BuildKit', async () => {
      const socket = await hijacked(`${folder}/engine.sock`, '/grpc', 'h2c');
      const session = connect('http://engine', { createConnection: () => socket });
      const call = session.request({
        ':method': 'POST',
        ':path': '/moby.buildkit.v1.Control/ListWorkers',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      call.end(emptyMessage);
      const trailers = once(call, 'trailers');
      const chunks: Buffer[] = [];
      for await (const chunk of call) chunks.push(chunk);

      expect((await trailers)[0]).toMatchObject({ 'grpc-status': '0' });
      expect(Buffer.concat(chunks).length).toBeGreaterThan(emptyMessage.length);
      session.destroy();
    });

    it('closes with its run and all connections', async () => {
      const socket = await hijacked(`${folder}/engine.sock`, '/grpc', 'h2c');
      const closed = once(socket.resume(), 'close');
      await door[Symbol.asyncDispose]();

      await closed;
      expect(await through('version')).not.toContain('Server');
    });
  },
);

async function hijacked(socketPath: string, path: string, protocol: string): Promise<Socket> {
  const headers = { connection: 'Upgrade', upgrade: protocol };
  const sent = plainRequest({ socketPath, path, method: 'POST', headers, agent: false });
  sent.end();
  const [, socket, head] = await once(sent, 'upgrade');
  // The engine may speak first, in the same packet as its answer.
  socket.unshift(head);
  return socket;
}

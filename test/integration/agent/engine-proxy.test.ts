import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestsTo } from '../../../agent/src/sandbox/engine/engine-address.js';
import { EngineProxy } from '../../../agent/src/sandbox/engine/engine-proxy.js';
import { until } from '../../support/until.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';

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
        scope: { workspaceId: '01ABC', labels: {}, containerId: container, place: null },
        allowedHosts: [],
        request: await requestsTo(new Docker()),
        buildKit: null,
        onRefused: (reason) => refused.push(reason),
        onBuildKitNeeded: () => undefined,
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

    it.each(['/grpc', '/session'])('refuses the protocol of BuildKit at %s', async (path) => {
      const headers = { connection: 'Upgrade', upgrade: 'h2c' };
      const socketPath = `${folder}/engine.sock`;
      const sent = plainRequest({ socketPath, path, method: 'POST', headers, agent: false });
      sent.end();
      const [response] = await once(sent, 'response');

      expect(response.statusCode).toBe(403);
      response.destroy();
    });

    it('closes with its run and all connections', async () => {
      const running = through('exec', container, 'sleep', '61');
      await until('the program', () => docker('top', container).includes('sleep 61') || undefined);
      await door[Symbol.asyncDispose]();

      await running;
      expect(await through('version')).not.toContain('Server');
    });
  },
);

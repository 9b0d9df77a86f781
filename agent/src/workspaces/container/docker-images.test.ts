import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { expect, it } from 'vitest';
import { DockerImages } from './docker-images.js';

const never = '0001-01-01T00:00:00Z';
const images = {
  old: { Created: '2026-01-01T00:00:00Z', LastTagTime: never, name: 'svc-old:1' },
  used: { Created: '2026-01-01T00:00:00Z', LastTagTime: never, name: 'used:1' },
  fresh: { Created: '2026-01-01T11:30:00Z', LastTagTime: never, name: 'fresh:1' },
  pulled: { Created: '2020-01-01T00:00:00Z', LastTagTime: '2026-01-01T11:59:00Z', name: 'pulled:1' },
  base: { Created: '2020-01-01T00:00:00Z', LastTagTime: never, name: 'base:latest' },
};

it('removes images older than an hour that no container uses, and not the default image', async () => {
  const removed: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    const [, id = ''] = /^\/images\/([^/?]+)/.exec(url) ?? [];
    const found = images[id as keyof typeof images];
    if (method === 'DELETE') removed.push(decodeURIComponent(id));
    if (url.startsWith('/containers/json')) response.end(JSON.stringify([{ ImageID: 'used' }]));
    else if (url.startsWith('/images/json'))
      response.end(
        JSON.stringify(Object.entries(images).map(([Id, { name }]) => ({ Id, RepoTags: [name] }))),
      );
    else response.end(JSON.stringify(found ? { ...found, Metadata: found } : []));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });

  await new DockerImages(docker).removeOld({ before: new Date('2026-01-01T11:00:00Z'), kept: 'base' });
  server.closeAllConnections();
  server.close();

  expect(removed).toEqual(['svc-old:1']);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const token = 'metadata-token';

/** What a node sees of EC2's metadata service (IMDSv2): its public address. */
export class MetadataService implements AsyncDisposable {
  url = '';
  private readonly server = createServer((request, response) => {
    const isAllowed = request.headers['x-aws-ec2-metadata-token'] === token;
    if (request.method === 'PUT' && request.url === '/latest/api/token') response.end(token);
    else if (!isAllowed) response.writeHead(401).end();
    else if (request.url === '/latest/meta-data/public-ipv4' && this.address) response.end(this.address);
    else response.writeHead(404).end();
  });

  private constructor(public address: string) {}

  static async start(address: string): Promise<MetadataService> {
    const made = new MetadataService(address);
    await new Promise<void>((listening) => made.server.listen(0, '127.0.0.1', listening));
    made.url = `http://127.0.0.1:${(made.server.address() as AddressInfo).port}`;
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

import { S3Client } from '@aws-sdk/client-s3';
import { Front } from '../../../local/front/front.js';
import { Objects } from '../../../local/front/objects.js';
import { freePort as freeFrontPort } from '../../../local/processes/ports.js';
import { previewLabel } from '../../../protocol/preview-host.js';
import { freePort, PreviewNode, previewNetworks } from './preview-node.js';

/** A dev server of a standalone workspace behind the front of the laptop cloud. */
export class DevServerNode implements AsyncDisposable {
  private constructor(
    private readonly node: PreviewNode,
    private readonly front: Front,
    private readonly service: { readonly workspaceId: string; readonly port: number },
    /** Of the service, without a path and a token. */
    readonly url: string,
  ) {}

  /** @param command starts the dev server on the given port */
  static async start(command: (port: number) => string): Promise<DevServerNode> {
    const [kind] = previewNetworks;
    if (!kind) throw new Error('A standalone node needs nothing');
    const frontPort = await freeFrontPort();
    const node = await PreviewNode.start(kind, { WORKSPACE_URL_SCHEME: 'http' });
    const workspaceId = await node.workspace();
    const front = new Front({
      port: frontPort,
      emulatorPort: 1,
      httpApiId: 'none',
      webSocketApiId: 'none',
      originSecret: 'none',
      frontSecret: 'none',
      objects: new Objects(new S3Client({}), { console: 'none', artifacts: 'none' }),
      nodePort: async (id) => (id === workspaceId ? node.agent.port : undefined),
      nodeAuthority: node.agent.certificate(),
    });
    await front.start();
    const port = await freePort();
    const terminal = await node.workspaces.run(workspaceId, `export NO_COLOR=1; ${command(port)}`);
    await terminal.waitForText(new RegExp(`localhost:${port}`), 60_000);
    const url = `http://${previewLabel({ workspaceId, port })}.localhost:${frontPort}/`;
    return new DevServerNode(node, front, { workspaceId, port }, url);
  }

  /** The address with a token of the workspace's owner. */
  async signedUrl(): Promise<string> {
    const { workspaceId, port } = this.service;
    return `${this.url}?token=${await this.node.fake.preview(workspaceId, port)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.node[Symbol.asyncDispose]();
  }
}

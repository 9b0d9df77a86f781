import { runTool } from '../../../scripts/agent-binaries/run-tool.js';

/** A network of the engine for these tests only, independent of the default one. */
export class EngineNetwork implements AsyncDisposable {
  private constructor(
    readonly name: string,
    /** Address of this machine for containers of the network. */
    readonly gateway: string,
  ) {}

  static async create(): Promise<EngineNetwork> {
    const name = `berth-baked-${process.pid}-${Date.now().toString(36)}`;
    await runTool('docker', ['network', 'create', name]);
    const format = '{{(index .IPAM.Config 0).Gateway}}';
    const gateway = await runTool('docker', ['network', 'inspect', name, '--format', format]);
    return new EngineNetwork(name, gateway.trim());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runTool('docker', ['network', 'rm', this.name]);
  }
}

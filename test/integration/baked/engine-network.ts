import { runTool } from '../../../scripts/agent-binaries/run-tool.js';

/** A network of the engine for these tests alone, so that nothing that others do to the default one matters. */
export class EngineNetwork implements AsyncDisposable {
  private constructor(
    readonly name: string,
    /** Where its containers find this machine. */
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

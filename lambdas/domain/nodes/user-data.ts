import { BootEnv, bootEnvPath } from '../../../protocol/boot.js';

/** What a new instance is told: cloud-init writes it to the file that the agent's unit reads. */
export function userData(env: BootEnv): string {
  const lines = Object.entries(BootEnv.parse(env)).map(([name, value]) => `${name}=${value}\n`);
  const config = {
    write_files: [{ path: bootEnvPath, owner: 'root:root', permissions: '0600', content: lines.join('') }],
  };
  return `#cloud-config\n${JSON.stringify(config)}\n`;
}

import * as z from 'zod/mini';
import { BootEnv, bootEnvPath } from '../../protocol/boot.js';

const CloudConfig = z.object({
  write_files: z.array(z.object({ path: z.string(), content: z.string() })),
});

export class BadUserData extends Error {}

/**
 * Reads what cloud-init would do with a node's user data: the environment file of the agent's unit.
 * The document is
 * `#cloud-config` with a body of JSON, which is YAML too; any other is not of this system's making.
 */
export function parseUserData(base64: string): BootEnv {
  const document = Buffer.from(base64, 'base64').toString('utf8');
  const body = /^#cloud-config\r?\n([\s\S]*)$/.exec(document)?.[1];
  if (body === undefined) throw new BadUserData('User data does not begin with #cloud-config');
  const file = parseCloudConfig(body).write_files.find(({ path }) => path === bootEnvPath);
  if (!file) throw new BadUserData(`User data writes no ${bootEnvPath}`);
  const result = BootEnv.safeParse(parseEnvFile(file.content));
  if (!result.success)
    throw new BadUserData(`${bootEnvPath} of the user data is incomplete: ${result.error.message}`);
  return result.data;
}

function parseCloudConfig(body: string) {
  try {
    return CloudConfig.parse(JSON.parse(body));
  } catch (error) {
    throw new BadUserData('User data is no cloud-config with write_files', { cause: error });
  }
}

export function parseEnvFile(content: string): Record<string, string> {
  const lines = content.split('\n').filter((line) => /^[A-Za-z_]\w*=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

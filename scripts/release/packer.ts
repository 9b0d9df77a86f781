import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Packer contained it until 1.9. */
const plugin = 'github.com/hashicorp/amazon';

/** Builds the image of `ami` with these variables. @throws when Packer is missing or fails */
export async function buildWithPacker(variables: Readonly<Record<string, string>>): Promise<void> {
  if (needsPlugin(await packer(['version'], 'pipe'))) await packer(['plugins', 'install', plugin]);
  const args = Object.entries(variables).flatMap(([name, value]) => ['-var', `${name}=${value}`]);
  await packer(['build', '-color=false', ...args, 'ami']);
}

function needsPlugin(version: string): boolean {
  const [, major = 0, minor = 0] = /v(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return major > 1 || (major === 1 && minor >= 10);
}

async function packer(args: readonly string[], stdout: 'inherit' | 'pipe' = 'inherit'): Promise<string> {
  const child = spawn('packer', [...args], { cwd: root, stdio: ['ignore', stdout, 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', () =>
      reject(
        new Error(
          'Packer is not installed. Debian and Ubuntu: `apt-get install packer`; macOS: `brew install packer`.',
        ),
      ),
    );
    child.once('exit', resolve);
  });
  const [code, said] = await Promise.all([ended, child.stdout ? text(child.stdout) : '']);
  if (code !== 0)
    throw new Error(
      `\`packer ${args[0]}\` failed; its own words are above. Nothing was changed for the nodes.`,
    );
  return said;
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './agent-binaries/run-tool.js';

/**
 * Part of `npm run check`: the image's template is well-formed and valid, its scripts are shell.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = join(root, 'ami/files/usr/local/lib/berth');
const shell = readdirSync(scripts).filter((name) => !name.endsWith('.mjs'));
for (const script of [join(root, 'ami/bake.sh'), ...shell.map((name) => join(scripts, name))])
  await runTool('bash', ['-n', script]);

const hasPacker = await runTool('packer', ['version']).catch(() => null);
if (hasPacker === null) {
  console.log('Packer is not here: the template was not looked at. Debian has it as `packer`.');
} else {
  await runTool('packer', ['fmt', '-check', '-diff', 'ami'], { cwd: root });
  for (const arch of ['amd64', 'arm64']) {
    const values = { arch, payload: 'ami', release: '0'.repeat(40), region: 'us-east-1' };
    const args = Object.entries(values).flatMap(([name, value]) => ['-var', `${name}=${value}`]);
    await runTool('packer', ['validate', ...args, 'ami'], { cwd: root });
  }
  console.log('The template of the image is valid.');
}

import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AgentProcess } from './agent-process.js';

/** The folder with what is in the package. @throws Error when the archive is not whole */
export async function unpackedDebugPackage(agent: AgentProcess, token: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'debug-'));
  const archive = join(folder, 'debug.tar.gz');
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const path = `/debug-package?token=${token}`;
    request({ host: '127.0.0.1', port: agent.port, path, ca: agent.certificate() }, resolve)
      .on('error', reject)
      .end();
  });
  await pipeline(response, createWriteStream(archive));
  const { status, stderr } = spawnSync('tar', ['-xzf', archive], { cwd: folder, encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`The archive is broken: ${stderr}`);
  return folder;
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../scripts/agent-binaries/run-tool.js';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'test/mcp-tools');

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The official programs of the Model Context Protocol: MCP Inspector and the conformance suite. */
export class McpTools {
  private constructor(private readonly folder: string) {}

  /**
   * Installs the versions of `test/mcp-tools/package-lock.json` once, in the cache of the checkout:
   * they have 160 MB, which no other work on the project needs.
   */
  static async install(): Promise<McpTools> {
    const lock = readFileSync(join(source, 'package-lock.json'));
    const version = createHash('sha256').update(lock).digest('hex').slice(0, 16);
    const folder = join(root, '.cache/mcp-tools', version);
    if (!existsSync(folder)) await installInto(folder);
    return new McpTools(join(folder, 'node_modules/.bin'));
  }

  /** Runs a program to its end, with a home folder of its own. */
  run(program: string, args: readonly string[], home: string): Promise<Ended> {
    const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
    const options = { cwd: home, env, maxBuffer: 64 * 1_024 * 1_024, timeout: 120_000 };
    return new Promise((resolve) => {
      execFile(process.execPath, [join(this.folder, program), ...args], options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      });
    });
  }
}

/** Another process may have been faster; both hold the same packages. */
async function installInto(folder: string): Promise<void> {
  mkdirSync(join(folder, '..'), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    cpSync(source, work, { recursive: true });
    await runTool('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: work });
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

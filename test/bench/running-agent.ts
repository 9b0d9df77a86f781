import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ulid } from 'ulid';
import { builtAgent } from '../../scripts/builds/built.js';
import { bootstrapToken, FakeControlPlane, nodeId } from '../integration/agent/fake-control-plane.js';

/**
 * A standalone agent as nodes run it, whose Claude Code is the given command, with one running
 * workspace.
 */
export class RunningAgent implements AsyncDisposable {
  readonly workspaceId = ulid();

  private constructor(
    readonly fake: FakeControlPlane,
    readonly port: number,
    readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(harness: readonly string[]): Promise<RunningAgent> {
    const fake = await FakeControlPlane.start();
    const folder = mkdtempSync(join(tmpdir(), 'berth-bench-stream-'));
    const child = spawn(process.execPath, [await builtAgent()], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        // As the unit of the node image has it.
        MALLOC_ARENA_MAX: '1',
        NODE_OPTIONS: '--max-semi-space-size=2',
        NODE_ROLE: 'standalone',
        NODE_ID: nodeId,
        CONTROL_PLANE_URL: fake.url,
        BOOTSTRAP_TOKEN: bootstrapToken,
        CALLBACK_TOKEN_FILE: join(folder, 'token'),
        VM_AGENT_HOST: '127.0.0.1',
        VM_AGENT_PORT: '0',
        VM_AGENT_STATE_DIR: join(folder, 'state'),
        WORKSPACE_BASE_DIR: join(folder, 'workspaces'),
        ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness }),
      },
    });
    const port = await listeningPort(child);
    const agent = new RunningAgent(fake, port, folder, child);
    await agent.makeWorkspace();
    return agent;
  }

  get certificate(): string {
    return readFileSync(join(this.folder, 'state/tls/node.pem'), 'utf8');
  }

  get key(): string {
    return readFileSync(join(this.folder, 'state/tls/node.key'), 'utf8');
  }

  /** Of a viewer of this session. */
  async socketUrl(sessionId: string): Promise<string> {
    const token = await this.fake.terminal(this.workspaceId);
    return `wss://127.0.0.1:${this.port}/agent/ws?sessionId=${sessionId}&token=${token}`;
  }

  async post(path: string, body: object): Promise<void> {
    const token = await this.fake.management(this.workspaceId);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await new Promise<void>((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: this.port,
        method: 'POST',
        path,
        headers,
        ca: this.certificate,
      };
      const sent = request(options, (response) => {
        response.resume();
        if ((response.statusCode ?? 500) < 300) resolve();
        else reject(new Error(`${path} answered ${response.statusCode}`));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await this.fake[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async makeWorkspace(): Promise<void> {
    const { workspaceId } = this;
    await this.post('/workspaces', {
      workspaceId,
      generation: 1,
      repository: null,
      cloneUrl: null,
      branch: null,
      callbackToken: await this.fake.workspaceCallback(workspaceId),
    });
    while (this.fake.callsTo(`${workspaceId}/ready`).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function listeningPort(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('The agent has no output');
  const lines = createInterface(child.stdout);
  for await (const line of lines) {
    const port = /"message":"Agent listens".*?"port":(\d+)/.exec(line)?.[1];
    if (!port) continue;
    // Goes on being read: a full pipe would stop the agent.
    child.stdout.resume();
    return Number(port);
  }
  throw new Error('The agent does not listen');
}

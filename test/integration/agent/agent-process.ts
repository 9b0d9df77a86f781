import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtAgent } from '../../../scripts/builds/built.js';
import { until } from '../../support/until.js';
import { checkAnswer } from './check-answer.js';
import { bootstrapToken, type FakeControlPlane, nodeId } from './fake-control-plane.js';

let built: Promise<string> | null = null;
function bundle(): Promise<string> {
  built ??= builtAgent();
  return built;
}

/** The command that runs an agent with this environment, and state in this folder. */
type AgentLaunch = (
  environment: Readonly<Record<string, string>>,
  folder: string,
) => readonly [file: string, ...args: string[]];

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A real agent, as the bundle that nodes run, with a state folder that outlives its restarts. */
export class AgentProcess implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'agent-'));
  port = 0;
  output = '';
  exitCode: number | null = null;
  private child: ChildProcess | null = null;

  constructor(
    private readonly controlPlane: FakeControlPlane,
    private readonly environment: Readonly<Record<string, string>>,
    /** How it is run instead of by this Node from its bundle. */
    private readonly launch?: AgentLaunch,
  ) {}

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** The node's id, by which the agent shows its own certificate. */
  get serverName(): string {
    return (this.environment.NODE_ID ?? nodeId).toLowerCase();
  }

  get tokenFile(): string {
    return join(this.folder, 'secrets', 'callback-token');
  }

  /** Starts it and waits until it listens. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    this.output = '';
    this.exitCode = null;
    const env = this.variables(more);
    const [file, ...args] = this.launch?.(env, this.folder) ?? [process.execPath, await bundle()];
    const child = spawn(file, args, {
      // With what the unit of the node image gives it.
      env: {
        PATH: process.env.PATH,
        MALLOC_ARENA_MAX: '1',
        NODE_OPTIONS: '--max-semi-space-size=2',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const take = (chunk: Buffer) => {
      this.output += chunk;
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => {
      this.exitCode = code ?? -1;
    });
    this.port = await until('the agent listens', () => {
      const port = /"message":"Agent listens".*?"port":(\d+)/.exec(this.output)?.[1];
      if (port) return Number(port);
      // Ended already: what it said is of more use than waiting.
      return this.exitCode === null ? undefined : Number.NaN;
    });
  }

  protected variables(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return {
      NODE_ID: nodeId,
      CONTROL_PLANE_URL: this.controlPlane.url,
      BOOTSTRAP_TOKEN: bootstrapToken,
      CALLBACK_TOKEN_FILE: this.tokenFile,
      VM_AGENT_STATE_DIR: join(this.folder, 'state'),
      WORKSPACE_BASE_DIR: join(this.folder, 'workspaces'),
      VM_AGENT_HOST: '127.0.0.1',
      VM_AGENT_PORT: '0',
      HEARTBEAT_INTERVAL: '300ms',
      SVC_EXIT_WITH_PARENT: '1',
      ...this.environment,
      ...more,
    };
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || this.exitCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  /**
   * One request, trusting exactly the certificate that the agent made for itself: as the control
   * plane, it asks for that certificate by the id of the node.
   */
  async call(
    method: string,
    path: string,
    token: string | null,
    ...[body, headers = {}]: [body?: unknown, headers?: Readonly<Record<string, string>>]
  ): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path,
          ca: this.certificate(),
          servername: this.serverName,
          headers: {
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          let answer = '';
          response.on('data', (chunk: Buffer) => {
            answer += chunk;
          });
          response.on('end', () => {
            try {
              const status = response.statusCode ?? 0;
              const body = JSON.parse(answer || '{}');
              checkAnswer({ method, path, status, body });
              resolve({ status, body });
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  certificate(): string {
    return readFileSync(join(this.folder, 'state', 'tls', 'node.pem'), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM');
  }
}

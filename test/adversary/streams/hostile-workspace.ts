import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { checkAnswer } from '../../integration/agent/check-answer.js';
import { docker } from '../../integration/agent/docker-engine.js';
import { StartedWorkspaces } from '../../integration/agent/started-workspaces.js';
import { until } from '../../support/until.js';

/** Before all other folders in the PATH of the image. */
const programs = '/usr/local/sbin';

export interface StreamAnswer {
  readonly status: number;
  readonly bytes: number;
  /** Whether the response arrived completely. */
  readonly isWhole: boolean;
  /** A field of the answer, as the next one, if it is JSON. */
  readonly error: string | undefined;
  readonly truncated: boolean | undefined;
}

type Answer = Pick<StreamAnswer, 'status' | 'bytes' | 'isWhole'> & {
  readonly body: { readonly error?: string; readonly truncated?: boolean } | null;
};

/** A running workspace of a real agent, whose root replaces programs that the agent runs. */
export class HostileWorkspace implements AsyncDisposable {
  private constructor(readonly started: StartedWorkspaces) {}

  /** With timeouts so long that only a budget ends a command. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<HostileWorkspace> {
    const kinds = ['FILE_LIST', 'FILE_FIND', 'FILE_RAW', 'FILE_DOWNLOAD', 'FILE_UPLOAD', 'GIT_EXEC'];
    const timeouts = Object.fromEntries(kinds.map((kind) => [`${kind}_TIMEOUT`, '90s']));
    return new HostileWorkspace(
      await StartedWorkspaces.start('workspace', 1, { ...timeouts, ...environment }),
    );
  }

  get container(): string {
    return `svc-ws-${this.started.workspaceId}`;
  }

  /** As root of the workspace. */
  sh(script: string): string {
    return docker('exec', '-u', '0', '-w', '/workspaces/full', this.container, 'sh', '-c', script);
  }

  /** The program prints this where its arguments match, until `restore`. */
  replace(program: string, prints: string, when = '*'): void {
    const path = `${programs}/${program}`;
    const real = this.sh(`command -v ${program}`);
    const text = `#!/bin/sh\ncase "$*" in ${when}) ${prints} ;; *) exec ${real} "$@" ;; esac\n`;
    this.sh(`printf '%s' '${text.replaceAll("'", "'\\''")}' >${path} && chmod 755 ${path}`);
  }

  restore(): void {
    this.sh(`rm -f ${programs}/*`);
  }

  async get(route: string, form?: string): Promise<StreamAnswer> {
    const { agent, fake, workspaceId } = this.started;
    const token = await fake.terminal(workspaceId);
    const type = form === undefined ? {} : { 'content-type': 'multipart/form-data; boundary=B' };
    const path = `/workspaces/${workspaceId}/${route}`;
    const method = form === undefined ? 'GET' : 'POST';
    const answer = await new Promise<Answer>((resolve, reject) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port: agent.port, ca: agent.certificate() },
          ...{ method, path },
          headers: { authorization: `Bearer ${token}`, ...type },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => undefined);
          response.on('close', () => {
            const { statusCode: status = 0, complete: isWhole, headers } = response;
            const all = Buffer.concat(chunks);
            const isJson = isWhole && headers['content-type']?.startsWith('application/json');
            const body = isJson ? JSON.parse(all.toString()) : null;
            resolve({ status, bytes: all.length, isWhole, body });
          });
        },
      );
      sent.on('error', reject);
      sent.end(form);
    });
    const { body, ...rest } = answer;
    if (answer.isWhole && body !== null) checkAnswer({ method, path, status: answer.status, body });
    return { ...rest, error: body?.error, truncated: body?.truncated };
  }

  /** The most that the agent's memory grows while this runs. */
  async growthOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly grownBytes: number }> {
    writeFileSync(`/proc/${this.started.agent.pid}/clear_refs`, '5');
    const before = this.memory('VmRSS');
    const result = await work();
    return { result, grownBytes: this.memory('VmHWM') - before };
  }

  untilQuiet(): Promise<void> {
    return untilQuiet(this.container);
  }

  private memory(of: 'VmHWM' | 'VmRSS'): number {
    const status = readFileSync(`/proc/${this.started.agent.pid}/status`, 'utf8');
    return Number(new RegExp(`^${of}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.started[Symbol.asyncDispose]();
  }
}

/** Until no program of the container prints any more, as the engine lists them from outside. */
export async function untilQuiet(container: string): Promise<void> {
  await until('the end of all writers in the workspace', () => {
    const writers = docker('top', container, '-eo', 'pid,args')
      .split('\n')
      .filter((line) => /\/dev\/u?random|\/dev\/zero|\byes /.test(line));
    if (writers.length > 0) throw new Error(writers.join('; '));
    return true;
  });
}

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, vi } from 'vitest';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { Canaries } from './canaries.js';
import { addHostileRepository, type HostileRepository, type Target } from './hostile-repository.js';

const waiting = { timeout: 170_000, interval: 100 };

type Files = ReturnType<HostileRepository['files']>;

/** A real agent that builds hostile repositories, with canaries where it may write. */
export class HostileNode implements AsyncDisposable {
  private readonly ids: string[] = [];

  private constructor(
    private readonly fake: FakeControlPlane,
    private readonly agent: AgentProcess,
    readonly target: Target,
    readonly canaries: Canaries,
  ) {}

  /** @param environment of the agent */
  static async start(image: string, environment: Readonly<Record<string, string>> = {}) {
    const fake = await FakeControlPlane.start();
    const agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: image,
      WORKSPACE_NETWORK: 'none',
      WORKSPACE_BUILD_QUEUE_DEPTH: '3',
      ...environment,
    });
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    const state = join(agent.folder, 'state');
    // The unit of a node sets this variable.
    const umask = process.umask(0o077);
    await agent.start();
    process.umask(umask);
    await vi.waitFor(() => expect(fake.callsTo('heartbeat')).not.toEqual([]), waiting);
    const own = ['.', 'clones', 'builds', 'run', 'snapshots', 'tls'].map((name) => join(state, name));
    const canaries = new Canaries(
      [outside, agent.folder, join(agent.folder, 'secrets'), join(agent.folder, 'workspaces'), ...own],
      ['/etc', '/usr/local/bin', '/var/spool/cron', join(process.env.HOME ?? '/root', '.ssh')],
      /\.db(?:-\w+)?$|\/(?:builds|clones|run)\/[^/]{26}|\/state\/(?:ready|sandbox)$/,
    );
    canaries.plant();
    return new HostileNode(fake, agent, { outside, state, url: fake.url, image }, canaries);
  }

  /** Returns the id of the new workspace. */
  async create(files: Files): Promise<string> {
    const { fake } = this;
    const id = ulid();
    this.ids.push(id);
    const name = id.toLowerCase();
    addHostileRepository(fake.repositories, name, files);
    const body = await workspaceRequest(fake, id, {
      repository: `octo/${name}`,
      cloneUrl: fake.cloneUrl(name),
    });
    expect(await this.agent.call('POST', '/workspaces', await fake.management(id), body)).toMatchObject({
      status: 202,
    });
    return id;
  }

  async rebuild(id: string): Promise<void> {
    await this.about(id, 'POST', '/rebuild');
  }

  /** The last outcome, once the workspace has had so many. */
  untilOutcome(id: string, count: number): Promise<unknown> {
    return vi.waitFor(() => {
      const all = this.outcomes(id);
      expect(all).toHaveLength(count);
      return all.at(-1);
    }, waiting);
  }

  bootLog(id: string): string {
    return JSON.stringify([
      ...this.fake.callsTo(`${id}/boot-log`).map(({ body }) => body.entry),
      ...this.fake.callsTo(`${id}/provisioning-failed`).map(({ body }) => body),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.ids) await this.about(id, 'DELETE').catch(() => undefined);
    await this.agent[Symbol.asyncDispose]();
    await this.fake[Symbol.asyncDispose]();
  }

  private async about(id: string, method: string, what = '') {
    return this.agent.call(method, `/workspaces/${id}${what}`, await this.fake.management(id));
  }

  private outcomes(id: string): unknown[] {
    return [
      ...this.fake.callsTo(`${id}/ready`).map(({ body }) => body.status),
      ...this.fake.callsTo(`${id}/provisioning-failed`).map(() => 'failed'),
    ];
  }
}

/** Prints the files of a container that contain the text, without those of its image. */
export const searchFor = (text: string): string =>
  `grep -rls ${text} /workspaces /tmp /root /home /run /etc /stolen /usr/local`;

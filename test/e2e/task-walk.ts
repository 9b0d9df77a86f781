import { expect } from 'vitest';
import type { Person } from '../support/person.js';
import { projectOf } from '../support/project-of.js';
import { until } from '../support/until.js';

export interface Submission {
  readonly taskId: string;
  readonly sessionId: string;
  readonly branchName: string;
}

/** A person with a project whose tasks are executed. */
export class TaskWalk {
  private constructor(
    readonly person: Person,
    readonly projectId: string,
  ) {}

  static async begin(person: Person, repository: string, name: string): Promise<TaskWalk> {
    const projectId = await projectOf(person, repository, name);
    const stored = await person.post('/api/credentials', {
      provider: 'anthropic',
      credentialType: 'agent-api-key',
      token: `sk-ant-${'x'.repeat(40)}`,
    });
    expect([200, 201], stored.text).toContain(stored.status);
    return new TaskWalk(person, projectId);
  }

  get path(): string {
    return `/api/projects/${this.projectId}/tasks`;
  }

  async submit(
    message: string,
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<Submission> {
    const json = { message, ...more };
    const { status, body, text } = await this.person.request('POST', `${this.path}/submit`, {
      json,
      headers,
    });
    expect(status, text).toBe(202);
    return body;
  }

  async cancel(taskId: string): Promise<void> {
    const { status, body, text } = await this.person.post(`${this.path}/${taskId}/cancel`, {});
    expect({ status, taskStatus: body.status }, text).toEqual({ status: 200, taskStatus: 'cancelled' });
  }

  async until(taskId: string, what: string, look: (task: Record<string, unknown>) => boolean) {
    return until(
      what,
      async () => {
        const { body, text } = await this.person.get(`${this.path}/${taskId}`);
        if (look(body)) return body;
        throw new Error(text);
      },
      120_000,
    );
  }
}

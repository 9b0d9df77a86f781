import { setTimeout as delay } from 'node:timers/promises';
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

  /** The answer to a message in a chat, once it matches. */
  async answerTo(sessionId: string, content: string, answer: RegExp): Promise<string> {
    const chat = `/api/projects/${this.projectId}/sessions/${sessionId}`;
    const { lastSequence } = (await this.person.get(chat)).body.session;
    const sent = await this.person.post(`${chat}/prompt`, { content });
    expect(sent.status, sent.text).toBe(202);
    const said = await until(
      `the answer to ${content}`,
      async () => {
        const { messages } = (await this.person.get(`${chat}/messages?after=${lastSequence}`)).body;
        const text = messages
          .filter(({ role }: { role: string }) => role === 'assistant')
          .map((message: { content: string }) => message.content)
          .join('');
        if (answer.test(text)) return text;
        throw new Error(JSON.stringify(messages));
      },
      180_000,
    );
    return String(said);
  }

  /** Asks a workspace to sleep until it does. */
  async untilAsleep(workspace: string): Promise<void> {
    // The report that the agent rests may come after its last message.
    await until('the sleep begins', async () => {
      const { status, text } = await this.person.post(`${workspace}/sleep`);
      if (status === 200 || status === 202) return true;
      await delay(1_000);
      throw new Error(text);
    });
    await until('it sleeps, and its slot is free', async () => {
      const { body, text } = await this.person.get(workspace);
      if (body.status === 'sleeping' && body.sleepPhase === null) return true;
      throw new Error(text);
    });
  }

  async untilStatus(workspace: string, status: string): Promise<void> {
    await until(`the workspace is ${status}`, async () => {
      const { body, text } = await this.person.get(workspace);
      if (body.status === status) return true;
      throw new Error(text);
    });
  }

  async removeNode(nodeId: string): Promise<void> {
    // The workspaces of a file that ended before may still be on their way out of it.
    await until('the node takes its removal', async () => {
      const { status, text } = await this.person.delete(`/api/nodes/${nodeId}`);
      if (status === 202) return true;
      throw new Error(text);
    });
    await until('the node is removed', async () => {
      const { status, body, text } = await this.person.get(`/api/nodes/${nodeId}`);
      if (status === 404 || body.status === 'deleted') return true;
      throw new Error(text);
    });
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

import { expect } from 'vitest';
import type { Person } from '../../support/person.js';
import { until } from '../../support/until.js';

interface Work {
  readonly login: string;
  readonly repository: string;
  readonly key: string;
  /** Of the profile with which the task runs. */
  readonly variable?: string;
  /** Of the project, for a kind of agent that does not work here. */
  readonly projectKey?: string;
  readonly listenerUrl: string;
}

/** A person whose agent has called its model once and waits for more. */
export class Worker {
  private constructor(
    readonly person: Person,
    readonly workspaceId: string,
    private readonly project: { readonly id: string; readonly wasMade: boolean },
    private readonly taskId: string,
  ) {}

  static async begin(person: Person, work: Work): Promise<Worker> {
    await storeKey(person, '/api/credentials', { provider: 'anthropic', token: work.key });
    const project = await projectOf(person, work.repository);
    const path = `/api/projects/${project.id}`;
    if (work.projectKey)
      await storeKey(person, `${path}/credentials`, { provider: 'openai', token: work.projectKey });
    const profile = work.variable
      ? await ok(
          person.post(`${path}/agent-profiles`, {
            name: `Canary ${Date.now()}`,
            environment: { TEAM_TOKEN: work.variable },
          }),
        )
      : undefined;
    const call = `curl -sf -H "x-api-key: $ANTHROPIC_API_KEY" ${work.listenerUrl}/${work.login}/v1/messages`;
    const { taskId } = await ok(
      person.post(`${path}/tasks/submit`, {
        message: `Work [[sh ${call}]][[say it is done]]`,
        ...(profile ? { agentProfileId: profile.id } : {}),
      }),
    );
    const workspaceId = await until(
      `the agent of ${work.login} has worked`,
      async () => {
        const { body } = await person.get(`${path}/tasks/${taskId}`);
        if (body.status === 'failed') throw new Error(String(body.errorMessage));
        const isDone = String(body.finalAssistantMessage).endsWith('it is done');
        return isDone && body.executionStep === 'awaiting_followup' ? String(body.workspaceId) : undefined;
      },
      120_000,
    );
    return new Worker(person, workspaceId, project, String(taskId));
  }

  async end(): Promise<void> {
    const path = `/api/projects/${this.project.id}`;
    await this.person.post(`${path}/tasks/${this.taskId}/cancel`, {});
    // Other tests make a project of the same repository.
    if (this.project.wasMade) await this.person.delete(path);
  }
}

export async function storeKey(
  person: Person,
  path: string,
  { provider, token }: { readonly provider: string; readonly token: string },
): Promise<void> {
  await ok(person.post(path, { provider, credentialType: 'agent-api-key', token }));
}

async function projectOf(person: Person, repository: string) {
  const { projects } = await ok(person.get('/api/projects'));
  const found = projects.find((project: { repository: string }) => project.repository === repository);
  if (found) return { id: String(found.id), wasMade: false };
  const { repositories } = await ok(person.get('/api/codehost/repositories'));
  const { installationId } = repositories.find(
    ({ fullName }: { fullName: string }) => fullName === repository,
  );
  const made = await ok(
    person.post('/api/projects', { name: `Canaries ${repository}`, repository, installationId }),
  );
  return { id: String(made.id), wasMade: true };
}

type Answer = Awaited<ReturnType<Person['get']>>;

async function ok(call: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await call;
  expect(status, text).toBeLessThan(300);
  return body;
}

import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestRequest } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';

/** The fields that replies of these routes can contain. */
interface ReplyBody {
  readonly id: string;
  readonly status: string;
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly nextCursor: string | null;
  readonly error: string;
}

/** Routes of tasks, called by members of projects; each call is held to its budget. */
export class TaskRoutes {
  private readonly invokes = new Map<string, Invoke>();

  private constructor(
    readonly table: Table,
    private readonly calls: CallCount,
  ) {}

  /** `env`: instead of what functions have elsewhere. */
  static async load(table: Table, files: readonly string[], env: object = {}): Promise<TaskRoutes> {
    Object.assign(process.env, functionEnv, { TABLE_NAME: table.name }, env);
    const documents = await import('../../../lambdas/shared/clients/documents.js');
    const routes = new TaskRoutes(documents.table, countCalls(documents.table.client));
    for (const file of files) routes.invokes.set(file, await loadRoute(file));
    return routes;
  }

  /** Calls of the table that the last route made. */
  get made(): readonly string[] {
    return this.calls.names;
  }

  async call(file: string, request: TestRequest) {
    this.calls.reset();
    const reply = await this.invokes.get(file)?.(request);
    if (!reply) throw new Error(`${file} is not loaded`);
    const most = callBudgetOf(file, routeOf(file).method);
    if (this.made.length > most) throw new Error(`${file} made ${this.made.join()}`);
    return { ...reply, body: reply.body as ReplyBody };
  }

  /** A project of a new person's, or of this one. */
  async newProject(of?: SignedIn): Promise<TaskProject> {
    const owner = of ?? (await signIn(this.table));
    const project = aProject({ userId: owner.userId });
    await putItem(this.table, projectItem(project));
    const made = new TaskProject(this, project, owner);
    await made.join(owner, 'owner');
    return made;
  }
}

export class TaskProject {
  constructor(
    readonly routes: TaskRoutes,
    readonly project: ReturnType<typeof aProject>,
    readonly owner: SignedIn,
  ) {}

  get projectId(): string {
    return this.project.projectId;
  }

  async join({ userId }: SignedIn, role: 'owner' | 'viewer'): Promise<void> {
    const { project, projectId } = this;
    const member = memberItem({
      projectId,
      userId,
      role,
      status: 'active',
      project,
      joinedAt: project.createdAt,
    });
    await putItem(this.routes.table, member);
  }

  /** As the owner, unless the request has cookies of its own. */
  call(file: string, { params, ...request }: TestRequest = {}) {
    return this.routes.call(`tasks/${file}`, {
      cookies: [this.owner.cookie],
      ...request,
      params: { projectId: this.projectId, ...params },
    });
  }

  async newTask(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { status, body } = await this.call('create', { body: { title: 'Fix the door', ...more } });
    if (status !== 201) throw new Error(`No task: ${JSON.stringify(body)}`);
    return body.id;
  }
}

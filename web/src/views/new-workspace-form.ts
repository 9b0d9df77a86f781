import { messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { field } from '../field.js';
import { Project, type Repositories, Workspace } from '../records.js';
import type { Surroundings } from '../view.js';

export type Choices = Repositories & { readonly projects: readonly Project[] };

const newProject = '';

/** Makes the project, if it is a new one, and then the workspace. */
export class NewWorkspaceForm {
  private readonly project = h('select', { id: 'project', change: () => this.arrange() });
  private readonly repository = h('select', { id: 'repository', change: () => this.suggestName() });
  private readonly projectName = textInput('project-name', true);
  private readonly workspaceName = textInput('workspace-name', false);
  private readonly branch = textInput('branch', false);
  private readonly problem = h('div', { role: 'alert' });
  private readonly submit = h('button', { type: 'submit', class: 'primary' }, 'Create workspace');
  private readonly forNewProject: HTMLFieldSetElement;
  readonly element: HTMLElement;
  /**
   * One key a content: a repeat after a lost answer gives the workspace that the first try made.
   */
  private idempotencyKey = crypto.randomUUID();

  constructor(
    private readonly surroundings: Surroundings,
    private readonly choices: Choices,
  ) {
    this.project.append(
      ...choices.projects.map(projectOption),
      h('option', { value: newProject }, 'New project from a repository …'),
    );
    this.repository.append(
      ...choices.repositories.map((one) =>
        h('option', { value: one.fullName }, `${one.fullName}${one.private ? ' (private)' : ''}`),
      ),
    );
    this.forNewProject = h(
      'fieldset',
      {},
      h('legend', {}, 'New project'),
      choices.repositories.length > 0 ? field('Repository', this.repository) : noRepositories(choices),
      field('Project name', this.projectName),
      moreRepositories(choices),
    );
    this.element = h(
      'form',
      { class: 'card', submit: (event) => this.send(event), input: () => this.edited() },
      field('Project', this.project),
      this.forNewProject,
      field('Workspace name', this.workspaceName, 'Optional.'),
      field('Branch', this.branch, 'Optional. Default: the default branch of the project.'),
      this.problem,
      this.submit,
    );
    this.suggestName();
    this.arrange();
  }

  private arrange(): void {
    const isNew = this.project.value === newProject;
    this.forNewProject.hidden = !isNew;
    // A hidden control that is required would keep the form from being sent.
    this.forNewProject.disabled = !isNew;
    this.submit.disabled = isNew && this.choices.repositories.length === 0;
  }

  private suggestName(): void {
    this.projectName.value = this.repository.value.split('/').at(-1) ?? '';
  }

  /** Another content under the same key would be refused. */
  private edited(): void {
    this.idempotencyKey = crypto.randomUUID();
  }

  private send(event: Event): void {
    event.preventDefault();
    replace(this.problem);
    this.submit.disabled = true;
    this.create().catch((error: unknown) => {
      this.submit.disabled = false;
      replace(this.problem, h('p', { class: 'notice bad' }, messageOf(error)));
    });
  }

  private async create(): Promise<void> {
    const displayName = this.workspaceName.value.trim();
    const branch = this.branch.value.trim();
    const made = await this.surroundings.api.call('/api/workspaces', {
      method: 'POST',
      headers: { 'idempotency-key': this.idempotencyKey },
      body: {
        projectId: await this.projectId(),
        ...(displayName ? { displayName } : {}),
        ...(branch ? { branch } : {}),
      },
      reads: Workspace,
    });
    this.surroundings.goTo(`/workspaces/${made.id}`);
  }

  private async projectId(): Promise<string> {
    if (this.project.value !== newProject) return this.project.value;
    const repository = this.repository.value;
    const chosen = this.choices.repositories.find(({ fullName }) => fullName === repository);
    const made = await this.surroundings.api.call('/api/projects', {
      method: 'POST',
      body: { name: this.projectName.value, installationId: chosen?.installationId, repository },
      reads: Project,
    });
    // Should the workspace fail, the next try goes on with this project.
    this.project.prepend(projectOption(made));
    this.project.value = made.id;
    this.arrange();
    this.submit.disabled = true;
    return made.id;
  }
}

const projectOption = ({ id, name, repository }: Project): HTMLElement =>
  h('option', { value: id }, `${name} (${repository})`);

const textInput = (id: string, isRequired: boolean): HTMLInputElement =>
  h('input', { id, maxlength: 100, autocomplete: 'off', required: isRequired });

const noRepositories = ({ installUrl }: Choices): HTMLElement =>
  h(
    'p',
    { class: 'notice' },
    'Berth has access to none of your repositories. ',
    installUrl
      ? 'Install the application on the repositories that you want to work on.'
      : 'Install its application on the repositories that you want to work on, at your code host.',
  );

function moreRepositories({ installUrl, failedInstallations = [] }: Choices): HTMLElement | null {
  const { length } = failedInstallations;
  if (!installUrl && length === 0) return null;
  return h(
    'p',
    { class: 'hint' },
    length > 0 && `${length} installation(s) could not be read and are missing here. `,
    installUrl ? h('a', { href: installUrl }, 'Give Berth access to more repositories') : null,
  );
}

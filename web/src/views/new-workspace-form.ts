import { messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';
import { field } from '../field.js';
import { Project, type Repositories, Workspace } from '../records.js';
import type { Surroundings } from '../view.js';

export type Choices = Repositories & { readonly projects: readonly Project[] };

const newProject = '';
const text = (id: string, isRequired: boolean) =>
  h('input', { id, name: id, maxlength: 100, autocomplete: 'off', required: isRequired });

export function newWorkspaceForm({ api, goTo }: Surroundings, choices: Choices): HTMLElement {
  const project = h(
    'select',
    { id: 'project', name: 'project', change: arrange },
    ...choices.projects.map(({ id, name, repository }) =>
      h('option', { value: id }, `${name} (${repository})`),
    ),
    h('option', { value: newProject }, 'New project from a repository …'),
  );
  const repository = h(
    'select',
    { id: 'repository', name: 'repository', change: suggestName },
    ...choices.repositories.map((one) =>
      h('option', { value: one.fullName }, `${one.fullName}${one.private ? ' (private)' : ''}`),
    ),
  );
  const projectName = text('project-name', true);
  const workspaceName = text('workspace-name', false);
  const branch = text('branch', false);
  const problem = h('div', { role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Create workspace');
  const forNewProject = h(
    'fieldset',
    {},
    h('legend', {}, 'New project'),
    choices.repositories.length > 0 ? field('Repository', repository) : noRepositories(choices),
    field('Project name', projectName),
    installMore(choices),
  );
  // One key a form: a repeat after a lost answer gives the workspace that the first try made.
  let idempotencyKey = crypto.randomUUID();

  function arrange(): void {
    const isNew = project.value === newProject;
    forNewProject.hidden = !isNew;
    // A hidden control that is required would keep the form from being sent.
    forNewProject.disabled = !isNew;
    submit.disabled = isNew && choices.repositories.length === 0;
  }
  function suggestName(): void {
    projectName.value = repository.value.split('/').at(-1) ?? '';
  }

  async function projectId(): Promise<string> {
    if (project.value !== newProject) return project.value;
    const chosen = choices.repositories.find(({ fullName }) => fullName === repository.value);
    const made = await api.call('/api/projects', {
      method: 'POST',
      body: {
        name: projectName.value,
        installationId: chosen?.installationId,
        repository: repository.value,
      },
      reads: Project,
    });
    // Should the workspace fail, the next try goes on with this project.
    project.prepend(h('option', { value: made.id }, `${made.name} (${made.repository})`));
    project.value = made.id;
    arrange();
    return made.id;
  }

  async function create(): Promise<void> {
    const body = {
      projectId: await projectId(),
      ...(workspaceName.value.trim() ? { displayName: workspaceName.value } : {}),
      ...(branch.value.trim() ? { branch: branch.value.trim() } : {}),
    };
    const headers = { 'idempotency-key': idempotencyKey };
    const made = await api.call('/api/workspaces', { method: 'POST', headers, body, reads: Workspace });
    goTo(`/workspaces/${made.id}`);
  }

  function send(event: Event): void {
    event.preventDefault();
    replace(problem);
    submit.disabled = true;
    create().catch((error: unknown) => {
      submit.disabled = false;
      replace(problem, h('p', { class: 'notice bad' }, messageOf(error)));
    });
  }

  const form = h(
    'form',
    {
      class: 'card',
      submit: send,
      // Another content under the same key would be refused.
      input: () => {
        idempotencyKey = crypto.randomUUID();
      },
    },
    field('Project', project),
    forNewProject,
    field('Workspace name', workspaceName, 'Optional.'),
    field('Branch', branch, "Optional: the project's default branch when empty."),
    problem,
    submit,
  );
  suggestName();
  arrange();
  return form;
}

const noRepositories = ({ installUrl }: Choices): HTMLElement =>
  h(
    'p',
    { class: 'notice' },
    'No repository of yours is open to Berth. ',
    installUrl
      ? 'Install the application on the repositories that you want to work on.'
      : 'Install its application on the repositories that you want to work on, at your code host.',
  );

function installMore({ installUrl, failedInstallations = [] }: Choices): HTMLElement | null {
  const failed = failedInstallations.length > 0;
  if (!installUrl && !failed) return null;
  return h(
    'p',
    { class: 'hint' },
    failed && `${failedInstallations.length} installation(s) could not be read and are missing here. `,
    installUrl ? h('a', { href: installUrl }, 'Open more repositories to Berth') : null,
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useServices } from '../app/services.js';
import { useTitle } from '../app/title.js';
import { AgentDefaultsFields } from '../launch/agent-defaults-fields.js';
import { LaunchFields } from '../launch/launch-fields.js';
import type { Launch } from '../launch/launch-form.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { TextArea, TextField } from '../ui/field.js';
import { Form } from '../ui/form.js';
import { Loaded } from '../ui/loaded.js';
import { SaveBar } from '../ui/save-bar.js';
import { useChange } from '../ui/use-change.js';
import { launchNames } from './launch-names.js';
import { LimitFields } from './limit-fields.js';
import { type ProjectChange, readProject } from './read-project.js';
import { may, projectKey, useProject, useProjectId, type WholeProject } from './use-project.js';
import { projectsKey } from './use-projects.js';

export function ProjectSettingsPage() {
  useTitle('Defaults and limits');
  return (
    <Loaded query={useProject(useProjectId())}>
      {(project) => (
        <>
          <Settings key={project.id} project={project} />
          {may(project, 'project:delete') && <Detach project={project} />}
        </>
      )}
    </Loaded>
  );
}

function Settings({ project }: { readonly project: WholeProject }) {
  const { client } = useServices();
  const { id: projectId } = project;
  // Of what the form shows: a change by somebody else since then is not overwritten.
  const [version, setVersion] = useState(project.version);
  const saving = useChange(projectKey(projectId), async (body: ProjectChange) => {
    const params = { projectId };
    const saved = await client.call('PATCH /api/projects/{projectId}', {
      params,
      body: { ...body, version },
    });
    setVersion(saved.version);
  });
  const mayChange = may(project, 'project:update');
  return (
    <Form
      className="card"
      error={saving.error}
      submit={(data) => saving.mutate(readProject(data, launchOf(project)))}
    >
      {!mayChange && <p className="notice">Only owners and admins change these. You see them as they are.</p>}
      <fieldset disabled={!mayChange} className="bare">
        <div className="columns">
          <TextField label="Name" name="name" required maxLength={100} defaultValue={project.name} />
          <TextField
            label="Default branch"
            name="defaultBranch"
            required
            defaultValue={project.defaultBranch}
          />
        </div>
        <TextArea
          label="Description"
          name="description"
          rows={2}
          maxLength={2_000}
          defaultValue={project.description ?? ''}
        />
        <h2>Defaults for agents</h2>
        <p className="hint">
          A task, its profile and its skill override these. They override the settings of a person.
        </p>
        <LaunchFields launch={launchOf(project)} names={launchNames} />
        <AgentDefaultsFields defaults={project.agentDefaults} />
        <h2>Limits</h2>
        <LimitFields project={project} />
        {mayChange && <SaveBar saving={saving} />}
      </fieldset>
    </Form>
  );
}

const launchOf = (project: WholeProject): Launch => ({
  ...project,
  agentType: project.defaultAgentType ?? null,
  model: project.defaultModel ?? null,
  effort: project.defaultEffort ?? null,
  permissionMode: project.defaultPermissionMode ?? null,
  workspaceProfile: project.defaultWorkspaceProfile ?? null,
  devcontainerConfigName: project.defaultDevcontainerConfigName ?? null,
  taskMode: project.defaultTaskMode ?? null,
});

function Detach({ project: { id: projectId, name } }: { readonly project: WholeProject }) {
  const { client, queries } = useServices();
  const navigate = useNavigate();
  const detach = async () => {
    await client.call('DELETE /api/projects/{projectId}', { params: { projectId } });
    await queries.invalidateQueries({ queryKey: projectKey(projectId) });
    void queries.invalidateQueries({ queryKey: projectsKey });
    void navigate({ to: '/projects', state: { notice: `${name} is detached.` } });
  };
  return (
    <section className="card" aria-labelledby="detach">
      <h2 id="detach">Detach</h2>
      <p>
        Nothing new can start in a detached project. Its tasks and conversations stay readable; agents that
        run go on until they end.
      </p>
      <ConfirmButton label="Detach the project" title={`Detach ${name} permanently?`} run={detach}>
        This cannot be undone. You can create another project for the same repository.
      </ConfirmButton>
    </section>
  );
}

import type { Api } from '../api.js';
import { h } from '../dom.js';
import { Projects, Repositories } from '../records.js';
import type { Surroundings, View } from '../view.js';
import { load } from './load.js';
import { type Choices, NewWorkspaceForm } from './new-workspace-form.js';

/** A project chosen or made, and a workspace of it. */
export function newWorkspaceView(surroundings: Surroundings): View {
  const place = h('div', {});
  load(
    place,
    () => fetchChoices(surroundings.api),
    (choices) => place.replaceChildren(new NewWorkspaceForm(surroundings, choices).element),
  );
  return {
    title: 'New workspace',
    element: h('section', { class: 'narrow' }, h('h1', {}, 'New workspace'), place),
    [Symbol.dispose]: () => {},
  };
}

async function fetchChoices(api: Api): Promise<Choices> {
  const [projects, repositories] = await Promise.all([
    api.call('/api/projects?limit=100', { reads: Projects }),
    api.call('/api/codehost/repositories', { reads: Repositories }),
  ]);
  return { projects: projects.projects, ...repositories };
}

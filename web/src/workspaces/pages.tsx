import { HostedView } from '../app/hosted-view.js';
import { newWorkspaceView } from '../views/new-workspace.js';
import { workspacesView } from '../views/workspaces.js';

export const WorkspacesPage = () => <HostedView make={workspacesView} />;
export const NewWorkspacePage = () => <HostedView make={newWorkspaceView} />;

import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { HostedView } from '../app/hosted-view.js';
import type { Surroundings } from '../view.js';
import { WorkspaceView } from '../views/workspace.js';

const route = getRouteApi('/workspaces/$workspaceId');

export function WorkspacePage() {
  const { workspaceId } = route.useParams();
  const make = useCallback(
    (surroundings: Surroundings) => new WorkspaceView(surroundings, workspaceId),
    [workspaceId],
  );
  return <HostedView make={make} />;
}

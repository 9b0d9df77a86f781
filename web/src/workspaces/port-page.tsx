import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { HostedView } from '../app/hosted-view.js';
import type { Surroundings } from '../view.js';
import { OpenPortView } from '../views/open-port.js';

const route = getRouteApi('/workspaces/$workspaceId/ports/$port');

export function PortPage() {
  const { workspaceId, port } = route.useParams();
  const make = useCallback(
    ({ api }: Surroundings) => {
      const path = new URLSearchParams(location.search).get('path') ?? '/';
      return new OpenPortView(api, { workspaceId, port: Number(port) }, path);
    },
    [workspaceId, port],
  );
  return <HostedView make={make} />;
}

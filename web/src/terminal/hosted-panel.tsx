import { useEffect, useRef } from 'react';
import type { Api } from '../api.js';
import { useServices } from '../app/services.js';

/** A part of a page that makes its elements itself, and starts when they are in the page. */
interface Panel extends Disposable {
  readonly element: HTMLElement;
  start(): void;
}

interface HostedPanelProps {
  readonly make: new (api: Api, workspaceId: string) => Panel;
  readonly workspaceId: string;
}

export function HostedPanel({ make: Made, workspaceId }: HostedPanelProps) {
  const { api } = useServices().surroundings;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = new Made(api, workspaceId);
    place.current?.replaceChildren(panel.element);
    panel.start();
    return () => panel[Symbol.dispose]();
  }, [Made, api, workspaceId]);
  return <div className="hosted" ref={place} />;
}

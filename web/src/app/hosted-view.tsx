import { useEffect, useRef } from 'react';
import type { Surroundings, View } from '../view.js';
import { useServices } from './services.js';
import { setTitle } from './title.js';

/** A page that makes its elements itself. Another `make` is another page. */
export function HostedView({ make }: { readonly make: (surroundings: Surroundings) => View }) {
  const { surroundings } = useServices();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = make(surroundings);
    setTitle(view.title);
    place.current?.replaceChildren(view.element);
    return () => view[Symbol.dispose]();
  }, [make, surroundings]);
  return <div ref={place} />;
}

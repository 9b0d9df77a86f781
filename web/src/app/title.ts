import { useEffect } from 'react';

export function setTitle(title: string): void {
  document.title = `${title} · Berth`;
}

export function useTitle(title: string): void {
  useEffect(() => setTitle(title), [title]);
}

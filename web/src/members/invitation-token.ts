const key = 'berth.invitation';

/**
 * Takes the token out of the address before anything else sees it. A sign-in loses what is behind
 * the `#`; this window keeps it until then.
 */
export function keepInvitation(): void {
  if (location.pathname !== '/invite' || location.hash.length < 2) return;
  sessionStorage.setItem(key, location.hash.slice(1));
  history.replaceState(history.state, '', '/invite');
}

export const readInvitation = (): string => sessionStorage.getItem(key) ?? '';

export const usedInvitation = (): void => sessionStorage.removeItem(key);

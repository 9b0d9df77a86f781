import { forgetAccount, type Services } from './services.js';

/** Ends the sign-in session of this browser. */
export async function signOut(services: Services): Promise<void> {
  await services.client.call('POST /api/auth/sign-out');
  history.replaceState(null, '', '/');
  forgetAccount(services);
}

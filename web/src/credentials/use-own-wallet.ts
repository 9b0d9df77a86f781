import { useMemo } from 'react';
import { useServices } from '../app/services.js';
import type { Wallet } from './credentials.js';

/** The credentials of the person. */
export function useOwnWallet(): Wallet {
  const { client } = useServices();
  return useMemo(
    () => ({
      key: ['credentials'],
      list: () => client.call('GET /api/credentials'),
      store: (body) => client.call('POST /api/credentials', { body }),
      remove: (provider) => client.call('DELETE /api/credentials/{provider}', { params: { provider } }),
    }),
    [client],
  );
}

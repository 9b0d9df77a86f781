// GET /api/codehost/installations
import { loadAccount } from '../../domain/code-host/grant.js';
import { sessionRoute } from '../../edge/session-route.js';
import { installations as contract } from './contract.js';

export const handler = sessionRoute(contract, async ({ user, table }) => {
  const { installations } = await loadAccount(table, user.userId);
  return {
    status: 200,
    body: {
      installations: installations.map((installation) => ({
        ...installation,
        id: installation.installationId,
      })),
      nextCursor: null,
    },
  };
});

import * as z from 'zod/mini';
import { tool } from '../tool.js';

export const exposePort = tool({
  name: 'expose_port',
  description:
    'Return the addresses at which your person opens a server of your workspace, a dev server for example, in a browser. Start the server first; it may listen on 127.0.0.1. Give the person consoleUrl: it signs them in and opens the server when its name resolves. url is the host of the server without the sign-in, and resolves from readyAt on; url and readyAt are null in a deployment without a nodes domain. The server stays private: only its person can open it. Limit: 20 ports of a workspace. Repeating the call changes nothing.',
  policy: {
    equals: 'none',
    reason:
      'Gives the address of a port of the caller; the route for people also gives a token, which an agent must not get',
    capability: 'task:write',
  },
  args: z.strictObject({
    port: z
      .int()
      .check(
        z.gte(1),
        z.lte(65_535),
        z.describe('The port on which the server listens in the workspace, 1 to 65535.'),
      ),
  }),
  handle: async ({ port }, { caller: { workspace }, now, previews }) => {
    const preview = await previews.of({ workspace, port, now });
    const { workspaceId } = workspace;
    return {
      port,
      consoleUrl: new URL(`/workspaces/${workspaceId}/ports/${port}`, previews.consoleUrl).href,
      url: preview?.url ?? null,
      readyAt: preview?.readyAt ?? null,
    };
  },
});

import * as z from 'zod/mini';
import { previewUrl } from '../../workspaces/preview-url.js';
import { tool } from '../tool.js';

export const exposePort = tool({
  name: 'expose_port',
  description:
    'Return the addresses at which your person opens a server of your workspace, a dev server for example, in a browser. Start the server first; it may listen on 127.0.0.1. Give the person consoleUrl: it signs them in, creates the name of the server and opens it. url is the address to which it leads, and works only after that; it is null in a deployment without a nodes domain. The server stays private: only its person can open it. A person can open 20 ports of a workspace. The call changes nothing.',
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
  handle: async ({ port }, { caller: { workspace }, consoleUrl, workspaceUrlTemplate }) => ({
    port,
    consoleUrl: new URL(`/workspaces/${workspace.workspaceId}/ports/${port}`, consoleUrl).href,
    url: previewUrl(workspaceUrlTemplate, { workspace, port }),
  }),
});

import type { LaptopCloud } from './laptop-cloud.js';
import type { NodeRole } from './node-role.js';

/** What a newcomer reads at the end of `npm start`: where everything is, and three things to try. */
export function welcome(cloud: LaptopCloud, role: NodeRole, elapsed: string): string {
  const url = cloud.publicUrl;
  return `
Berth is ready after ${elapsed}.

  Console and API    ${url}
  API documentation  ${url}/docs
  Code host          ${cloud.codeHost.url}   (people: octo, mallory, hubot; no passwords)
  AWS endpoint       ${cloud.endpoint}   (credentials: test / test, us-east-1)

  Nodes run in the ${role.name} role. ${role.note}

Three things to try:

  1. Open ${url} in a browser, sign in as octo, create a workspace from octo/hello and type in its terminal.

  2. The same with curl. Sign in, and list the repositories:
       curl -sL -c .berth/cookies -b .berth/cookies "$(curl -s -c .berth/cookies -H 'content-type: application/json' \\
         -d '{"provider":"github"}' ${url}/api/auth/sign-in/social | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')&login=octo" -o /dev/null
       curl -s -b .berth/cookies ${url}/api/codehost/repositories

  3. Create a workspace, and see how it goes:
       curl -s -b .berth/cookies -H 'content-type: application/json' \\
         -d '{"displayName":"first","repository":"octo/hello","installationId":"5001"}' ${url}/api/workspaces
       curl -s -b .berth/cookies ${url}/api/workspaces

Ctrl-C ends it; the next npm start goes on where it was. npm run reset empties it.
`;
}

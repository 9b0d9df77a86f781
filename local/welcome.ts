import { demoModel } from './demo-agent/model.js';
import type { LaptopCloud } from './laptop-cloud.js';
import type { NodeRole } from './node-role.js';
import type { StartOptions } from './start-options.js';
import { agentDebugPort, functionDebugPort } from './watch/debug-function.js';

/** The last lines of `npm start`: the addresses, and three things to try. */
export function welcome(
  cloud: LaptopCloud,
  role: NodeRole,
  { elapsed, watch, debug, demoAgent }: StartOptions & { readonly elapsed: string },
): string {
  const url = cloud.publicUrl;
  return `
Berth is ready after ${elapsed}.

  Console and API    ${url}
  API documentation  ${url}/docs
  Code host          ${cloud.codeHost.url}   (users: octo, mallory, hubot; no passwords)
  AWS endpoint       ${cloud.endpoint}   (us-east-1; its key is in ${cloud.keysFile})

  Nodes run in the ${role.name} role. ${role.note}
${[...(watch ? ['Changed sources are rebuilt and redeployed.'] : []), ...(demoAgent ? [demoLine] : []), ...debug.map(debugLine)].map((line) => `  ${line}\n`).join('')}
Three things to try:

  1. ${firstThing(url, demoAgent)}

  2. Sign in with curl, and list the repositories:
       curl -sL -c .berth/cookies -b .berth/cookies "$(curl -s -c .berth/cookies -H 'content-type: application/json' \\
         -d '{"provider":"github"}' ${url}/api/auth/sign-in/social | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')&login=octo" -o /dev/null
       curl -s -b .berth/cookies ${url}/api/codehost/repositories

  3. Create a workspace with curl, and watch its status:
       curl -s -b .berth/cookies -H 'content-type: application/json' \\
         -d '{"displayName":"first","repository":"octo/hello","installationId":"5001"}' ${url}/api/workspaces
       curl -s -b .berth/cookies ${url}/api/workspaces

Ctrl-C stops Berth and keeps its data for the next npm start. npm run reset deletes the data.
`;
}

const demoLine = `The demo agent answers tasks for OpenCode with the model ${demoModel}. It needs no key and uses no model.`;

const firstThing = (url: string, demoAgent: boolean): string =>
  demoAgent
    ? `Open ${url} in a browser, sign in as octo, create a project from octo/hello and submit a task. The demo agent
     asks in your inbox before it writes a file. examples/first-task.sh does the same with curl, and waits for your answer there.`
    : `Open ${url} in a browser, sign in as octo, create a workspace from octo/hello and type in its terminal.`;

function debugLine(name: string): string {
  return name === 'agent'
    ? `The agent of each node that starts now listens for a debugger on 127.0.0.1:${agentDebugPort} (the first node only).`
    : `lambdas/${name}.ts listens for a debugger on 127.0.0.1:${functionDebugPort} after its first call.`;
}

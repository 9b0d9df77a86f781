import type { Contract } from '../edge/contract.js';
import * as admin from './admin/contract.js';
import * as agentSessions from './agent-sessions/contract.js';
import * as auth from './auth/contract.js';
import * as agentCallbacks from './callbacks/agent-contract.js';
import * as callbacks from './callbacks/contract.js';
import * as interactionCallbacks from './callbacks/interaction-contract.js';
import * as snapshotCallbacks from './callbacks/snapshot-contract.js';
import * as chats from './chats/contract.js';
import * as interactions from './chats/interaction-contract.js';
import * as codehost from './codehost/contract.js';
import * as credentials from './credentials/contract.js';
import * as eventChannels from './event-channels/contract.js';
import * as eventSubscriptions from './event-subscriptions/contract.js';
import * as files from './files/contract.js';
import * as git from './git/contract.js';
import * as inbox from './inbox/contract.js';
import * as invites from './invites/contract.js';
import * as mcp from './mcp/contract.js';
import * as members from './members/contract.js';
import * as nodes from './nodes/contract.js';
import { profiles, skills } from './profiles/contract.js';
import * as projects from './projects/contract.js';
import * as resourceHistory from './resource-history/contract.js';
import * as settings from './settings/contract.js';
import * as tasks from './tasks/contract.js';
import * as taskRuns from './tasks/run-contract.js';
import * as terminal from './terminal/contract.js';
import * as utility from './utility/contract.js';
import * as workspaces from './workspaces/contract.js';

const areas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  admin,
  'agent-sessions': agentSessions,
  auth,
  callbacks: { ...callbacks, ...agentCallbacks, ...interactionCallbacks, ...snapshotCallbacks },
  chats: { ...chats, ...interactions },
  codehost,
  credentials,
  'event-subscriptions': eventSubscriptions,
  'event-channels': eventChannels,
  mcp,
  files,
  git,
  inbox,
  invites,
  members,
  nodes,
  profiles,
  projects,
  'resource-history': resourceHistory,
  tasks: { ...tasks, ...taskRuns },
  settings,
  skills,
  terminal,
  utility,
  workspaces,
};

const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The contract of a file that a row names: the export of its name in its area. */
export function contractOf(file: string): Contract | undefined {
  const [area = '', name = ''] = file.split('/');
  // The modules of an area export contracts and nothing else.
  return areas[area]?.[camelCase(name)] as Contract | undefined;
}

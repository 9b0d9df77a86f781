/** How a right of a person can end. Loss of access on the code host: code-host-deadlines.ts. */
export const ends = [
  'sign-out',
  'sign-out everywhere',
  'removal from a project',
  'demotion to viewer',
  'suspension',
  'loss of the superadmin setting',
  'loss by the sign-in policy',
] as const;
export type End = (typeof ends)[number];

/** Things that depend on a person's rights. test/integration/agent tests closures on a node. */
export const liveThings = [
  'session cookie',
  'live socket',
  'new terminal token',
  'terminal, agent socket and preview on a node',
  'MCP token',
  'callback that returns settings or secrets',
  'new git token',
  'git token that a workspace has',
  'restart',
  'queued prompt',
  'invitation that the person created',
  'running workspace',
  'superadmin route',
] as const;
export type LiveThing = (typeof liveThings)[number];

/** Seconds within which a thing is refused or closed. null: independent of the right, stays. */
type Deadlines = Readonly<Record<LiveThing, number | null>>;

/** Read with the request itself. */
const atOnce = 0;
/** The table's stream and one call per node. Unreachable nodes are retried for over an hour. */
const reported = 60;
/** The saga looks twice, half a minute apart, and each stop takes a node some seconds. */
const stopped = 120;
/** A check every 12 hours, 5 minutes of schedule, and 30 minutes per failed code-host request. */
export const policyCheckSeconds = 24 * 60 * 60;

const signedOut: Deadlines = {
  'session cookie': atOnce,
  'live socket': reported,
  'new terminal token': atOnce,
  'terminal, agent socket and preview on a node': reported,
  'MCP token': null,
  'callback that returns settings or secrets': null,
  'new git token': null,
  'git token that a workspace has': null,
  restart: atOnce,
  'queued prompt': null,
  'invitation that the person created': null,
  'running workspace': null,
  'superadmin route': atOnce,
};

const lostProject: Deadlines = {
  'session cookie': null,
  'live socket': reported,
  'new terminal token': atOnce,
  'terminal, agent socket and preview on a node': stopped,
  'MCP token': atOnce,
  'callback that returns settings or secrets': stopped,
  'new git token': stopped,
  'git token that a workspace has': stopped,
  restart: atOnce,
  'queued prompt': atOnce,
  'invitation that the person created': atOnce,
  'running workspace': stopped,
  'superadmin route': null,
};

const suspended: Deadlines = {
  'session cookie': atOnce,
  'live socket': reported,
  'new terminal token': atOnce,
  'terminal, agent socket and preview on a node': reported,
  'MCP token': atOnce,
  'callback that returns settings or secrets': atOnce,
  'new git token': atOnce,
  // Revoked at the code host. If that fails, the token expires an hour after it was minted.
  'git token that a workspace has': stopped,
  restart: atOnce,
  'queued prompt': atOnce,
  'invitation that the person created': atOnce,
  'running workspace': stopped,
  'superadmin route': atOnce,
};

export const deadlines: Readonly<Record<End, Deadlines>> = {
  'sign-out': signedOut,
  'sign-out everywhere': signedOut,
  'removal from a project': lostProject,
  // A viewer may still read: the live socket stays, the MCP token reads until the workspace stops.
  'demotion to viewer': { ...lostProject, 'live socket': null, 'MCP token': stopped },
  suspension: suspended,
  // With the deployment that changes the setting.
  'loss of the superadmin setting': {
    ...(Object.fromEntries(liveThings.map((thing) => [thing, null])) as Record<LiveThing, null>),
    'superadmin route': atOnce,
  },
  // From the check, at most `policyCheckSeconds` after the loss. Superadmins pass each check.
  'loss by the sign-in policy': { ...suspended, 'superadmin route': null },
};

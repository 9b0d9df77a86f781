import type { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { ask } from '../ask.js';

/** The most agent sessions of a workspace. */
const sessionsOfWorkspace = 10;

/** What becomes of a chat in the midst of the run. */
export type Lot = 'stays' | 'loses_its_node' | 'is_cut';

/** One chat, with who began it and where its agent works. */
export interface NemesisSession {
  readonly sessionId: string;
  readonly person: Person;
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly lot: Lot;
}

/**
 * A project with two members: `host` owns it, `guest` is removed from it in the midst of the run.
 */
export interface Company {
  readonly host: Person;
  readonly guest: Person;
  readonly guestId: string;
  readonly projectId: string;
}

export async function meet(host: Person, guest: Person): Promise<Company> {
  const token = 'sk-ant-nemesis-0000000000';
  const key = { provider: 'anthropic', credentialType: 'agent-api-key', token };
  for (const person of [host, guest]) await ask(person, '/api/credentials', key);
  const repository = { installationId: '5001', repository: 'octo/hello' };
  const project = await ask(host, '/api/projects', { name: 'Nemesis', ...repository });
  const projectId = String(project.id);
  const invite = await ask(host, `/api/projects/${projectId}/invites`, { role: 'maintainer' });
  await ask(guest, '/api/invites/accept', { token: invite.token });
  const { body } = await host.get(`/api/projects/${projectId}/members`);
  // A member's own key is used in a shared project only with their consent.
  for (const person of [host, guest]) await allowOwnCredentials(person, projectId);
  const guestId = body.members.find(({ role }: { role: string }) => role === 'maintainer').userId;
  return { host, guest, guestId, projectId };
}

/**
 * So many chats: most stay, a few are on a node of their own that will be lost, a few are the
 * guest's.
 */
export async function openSessions(company: Company, chats: number): Promise<readonly NemesisSession[]> {
  const few = Math.ceil(chats / 10);
  const workspaces: readonly { lot: Lot; sessions: number }[] = [
    { lot: 'loses_its_node', sessions: few },
    { lot: 'is_cut', sessions: few },
    ...Array.from({ length: Math.ceil((chats - 2 * few) / sessionsOfWorkspace) }, (_, index) => ({
      lot: 'stays' as const,
      sessions: Math.min(sessionsOfWorkspace, chats - 2 * few - index * sessionsOfWorkspace),
    })),
  ];
  return (await Promise.all(workspaces.map((asked) => furnish(company, asked)))).flat();
}

async function furnish(
  { host, guest, projectId }: Company,
  { lot, sessions }: { lot: Lot; sessions: number },
): Promise<readonly NemesisSession[]> {
  const person = lot === 'is_cut' ? guest : host;
  const made = await ask(person, '/api/workspaces', {
    projectId,
    ...(lot === 'loses_its_node' ? { resourceRequirements: { exclusiveNode: true } } : {}),
  });
  const workspaceId = String(made.id);
  const nodeId = await nodeOf(person, workspaceId);
  const taken: NemesisSession[] = [];
  for (let session = 0; session < sessions; session += 1) {
    const path = `/api/workspaces/${workspaceId}/agent-sessions`;
    const session = await ask(person, path, { agentType: 'claude-code' });
    taken.push({ sessionId: String(session.chatSessionId), person, workspaceId, nodeId, lot });
  }
  return taken;
}

async function nodeOf(person: Person, workspaceId: string): Promise<string> {
  const workspace = await until(
    'a workspace runs',
    async () => {
      const { body } = await person.get(`/api/workspaces/${workspaceId}`);
      if (body.status === 'errored') throw new Error(`errored: ${body.errorMessage}`);
      return body.status === 'running' ? body : undefined;
    },
    180_000,
  );
  return String(workspace.nodeId);
}

async function allowOwnCredentials(person: Person, projectId: string): Promise<void> {
  const path = `/api/projects/${projectId}/personal-credentials`;
  const answer = await person.request('PUT', path);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
}

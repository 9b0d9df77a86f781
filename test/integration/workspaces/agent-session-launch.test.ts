import { KMSClient } from '@aws-sdk/client-kms';
import { describe, expect, it } from 'vitest';
import { AgentSession, agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { agentSettings } from '../../../lambdas/domain/launch/agent-settings.js';
import { storeUserSettings } from '../../../lambdas/domain/launch/load-layers.js';
import { runtimeVariables } from '../../../lambdas/domain/launch/runtime-variables.js';
import { createProfile, type ProfileDraft } from '../../../lambdas/domain/profiles/create-and-delete.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { Envelope } from '../../../lambdas/domain/secrets/envelope.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { KmsDataKeys } from '../../../lambdas/shared/kms-data-keys.js';
import { signIn } from '../../support/sign-in.js';
import { as, chatStage } from '../chats/chat-stage.js';

const stage = await chatStage();
const secrets = new Envelope(new KmsDataKeys(new KMSClient({}), process.env.DATA_KEY_ARN ?? ''));

const here = () => ({ workspaceId: stage.workspace.workspaceId });
const create = (body: object, who = stage.me) =>
  stage.call('agent-sessions/create', as(who, { params: here(), body }));

async function profile(
  kind: ProfileDraft['kind'],
  { settings, environment = {} }: Partial<Pick<ProfileDraft, 'settings' | 'environment'>>,
): Promise<string> {
  const { projectId } = stage.project;
  const draft = { kind, profileId: newId(), projectId, name: newId(), description: null };
  const made = await createProfile(
    { table: stage.table, secrets },
    { ...draft, settings: settings ?? {}, environment, createdBy: stage.me.userId },
    new Date(),
  );
  return made.profileId;
}

async function stored(agentSessionId: string): Promise<AgentSession> {
  const key = agentSessionKey(stage.workspace.workspaceId, agentSessionId);
  return AgentSession.parse(await getItem(stage.table, key));
}

describe('an agent session of a person', () => {
  it('has an agent type without naming one: that of its layers, so that its first message starts it', async () => {
    const platform = await create({});
    await storeUserSettings(stage.table, {
      userId: stage.me.userId,
      settings: { agentType: 'openai-codex' },
      now: new Date(),
    });

    expect(platform).toMatchObject({ status: 201, body: { agentType: 'claude-code' } });
    expect(await create({})).toMatchObject({ status: 201, body: { agentType: 'openai-codex' } });
    expect(await create({ agentType: 'google-gemini' })).toMatchObject({
      body: { agentType: 'google-gemini' },
    });
  });

  it('takes agent type, settings and variables from its profile and its skill', async () => {
    const agentProfileId = await profile('profile', {
      settings: { agentType: 'openai-codex', model: 'of-profile' },
      environment: { TEAM: 'blue' },
    });
    const skillId = await profile('skill', { settings: { effort: 'low', systemPromptAppend: 'Be brief.' } });

    const { body } = await create({ agentProfileId, skillId });
    const session = await stored(body.id);

    expect(body).toMatchObject({ agentType: 'openai-codex' });
    expect(session.launch?.systemPromptAppend).toEqual([{ text: 'Be brief.', from: 'skill' }]);
    const asked = { agentType: 'openai-codex', session } as const;
    expect(await agentSettings(stage.table, stage.workspace, asked)).toMatchObject({
      model: 'of-profile',
      effort: 'low',
    });
    const deps = { table: stage.table, secrets };
    expect(await runtimeVariables(deps, stage.workspace, session)).toEqual({
      envVars: [{ key: 'TEAM', value: 'blue', isSecret: true }],
    });
  });

  it('is created once for an Idempotency-Key', async () => {
    const request = (label: string) =>
      stage.call(
        'agent-sessions/create',
        as(stage.me, { params: here(), body: { label }, headers: { 'idempotency-key': 'again' } }),
      );
    const [first, again] = [await request('one'), await request('one')];

    expect(first).toMatchObject({ status: 201, body: { label: 'one' } });
    expect(again.body).toEqual(first.body);
    expect(await request('two')).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('is refused with the failing field for a profile or skill that the project does not have', async () => {
    expect(await create({ agentProfileId: newId() })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.agentProfileId' }] },
    });
    expect(await create({ skillId: newId() })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.skillId' }] },
    });
    expect(stage.node.requests).toEqual([]);
  });
});

describe('a chat session without an agent', () => {
  const chatOf = async (who = stage.me) =>
    (await stage.call('chats/create', as(who, { ...stage.here(), body: { topic: 'Plan' } }))).body.id;
  const prompt = (sessionId: string) =>
    stage.call('chats/prompt', as(stage.me, { ...stage.here({ sessionId }), body: { content: 'Go' } }));

  it('takes no message until an agent session joins it', async () => {
    const chatSessionId = await chatOf();
    expect(await prompt(chatSessionId)).toMatchObject({
      status: 409,
      body: { error: 'SESSION_HAS_NO_AGENT' },
    });

    const made = await create({ chatSessionId });

    expect(made).toMatchObject({ status: 201, body: { chatSessionId } });
    expect(
      await stage.call('chats/get', as(stage.me, stage.here({ sessionId: chatSessionId }))),
    ).toMatchObject({
      body: { session: { agentSessionId: made.body.id, topic: 'Plan', ...here() } },
    });
    expect(await prompt(chatSessionId)).toMatchObject({ status: 202 });
  });

  it('is joined by the first of two agent sessions', async () => {
    const chatSessionId = await chatOf();

    const at = as(stage.me, { params: here(), body: { chatSessionId } });
    const join = () => stage.invokes.get('agent-sessions/create')?.(at);

    const both = (await Promise.all([join(), join()])).map((reply) => reply ?? { status: 0 });

    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)).toMatchObject({
      body: { error: 'SESSION_NOT_JOINABLE', details: [{ field: 'body.chatSessionId' }] },
    });
  });

  it("is not joined by another person's workspace, when it is unknown or has ended", async () => {
    const other = await signIn(stage.table);
    await stage.join(other, 'owner');
    const ended = await chatOf();
    await stage.call('chats/stop', as(stage.me, stage.here({ sessionId: ended })));

    for (const chatSessionId of [await chatOf(other), newId(), ended])
      expect(await create({ chatSessionId })).toMatchObject({
        status: 409,
        body: { error: 'SESSION_NOT_JOINABLE' },
      });
  });
});

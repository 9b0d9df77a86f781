import type { AnswerOf } from '../../../client/berth-client.js';
import { agents, efforts, oneOf, opencodeProviders, permissionModes } from './choices.js';

/** Settings for one type of agent, by type. */
export type AgentDefaults = NonNullable<AnswerOf<'GET /api/settings/agents'>['settings']['agentDefaults']>;
export type AgentType = (typeof agents)[number][0];
type OfOne = NonNullable<AgentDefaults[AgentType]>;

/** As the API calls the field, so that what it says of one appears there. */
export const fieldOf = (agent: AgentType, setting: keyof OfOne): string =>
  `agentDefaults.${agent}.${setting}`;

/**
 * Null when no type has a setting. An empty field leaves it to what holds for all types.
 */
export function readAgentDefaults(data: FormData): AgentDefaults | null {
  const set = agents.flatMap(([agent]) => {
    const own = readOne(data, agent);
    return Object.keys(own).length > 0 ? [[agent, own] as const] : [];
  });
  return set.length > 0 ? Object.fromEntries(set) : null;
}

function readOne(data: FormData, agent: AgentType): OfOne {
  const of = (setting: keyof OfOne) => data.get(fieldOf(agent, setting));
  const text = (setting: keyof OfOne) => String(of(setting) ?? '').trim() || null;
  const read = {
    model: text('model'),
    effort: oneOf(efforts, of('effort')),
    permissionMode: oneOf(permissionModes, of('permissionMode')),
    opencodeProvider: oneOf(opencodeProviders, of('opencodeProvider')),
    opencodeBaseUrl: text('opencodeBaseUrl'),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
}

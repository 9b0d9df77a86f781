import { formLimits } from '../../../protocol/interaction-forms.js';
import { urlLimits } from '../../../protocol/interaction-urls.js';
import {
  type InteractionKind,
  type InteractionSettings,
  interactionLimits,
  interactionProtocolVersion,
  interactionRetryDelaysMs,
  interactionSteadyDelayMs,
} from '../../../protocol/interactions.js';
import type { Task } from '../tasks/task.js';

const minute = 60_000;

type Mode = Task['taskMode'];

/** How long a person has to answer. In a task nobody may be there: its agent continues earlier. */
export const deadlineMs: Readonly<Record<Mode, Readonly<Record<InteractionKind, number>>>> = {
  conversation: { permission: 120 * minute, form: 120 * minute, url: 10 * minute },
  task: { permission: 30 * minute, form: 30 * minute, url: 10 * minute },
};

/** Agents of tasks ask for permissions only. */
export const isOffered = (kind: InteractionKind, mode: Mode): boolean =>
  kind === 'permission' || mode === 'conversation';

/** The settings that the node gets with a new agent session. */
export function interactionSettings(mode: Mode): InteractionSettings {
  const { permission, form, url } = deadlineMs[mode];
  return {
    enabled: true,
    formsEnabled: isOffered('form', mode),
    urlsEnabled: isOffered('url', mode),
    protocolVersion: interactionProtocolVersion,
    permissionDeadlineMs: permission,
    formDeadlineMs: form,
    urlDeadlineMs: url,
    maxDeadlineMs: 240 * minute,
    deadlineMarginMs: minute,
    requestMaxBytes: interactionLimits.requestBytes,
    responseMaxBytes: interactionLimits.responseBytes,
    answerMaxBytes: interactionLimits.answerBytes,
    answerStringMaxBytes: formLimits.stringBytes,
    optionsMaxCount: interactionLimits.options,
    optionIdMaxChars: interactionLimits.optionIdChars,
    optionNameMaxChars: interactionLimits.optionNameChars,
    formSchemaMaxBytes: formLimits.schemaBytes,
    formSchemaMaxProperties: formLimits.properties,
    formSchemaMaxEnum: formLimits.choices,
    urlMaxChars: urlLimits.chars,
    urlElicitationIdMaxChars: interactionLimits.elicitationIdChars,
    urlRedirectDepth: urlLimits.redirectDepth,
    receiptLimit: interactionLimits.receipts,
    settleRetryDelaysMs: [...interactionRetryDelaysMs],
    settleRetrySteadyMs: interactionSteadyDelayMs,
  };
}

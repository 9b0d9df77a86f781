import { createHash } from 'node:crypto';
import type { EventContent } from '../project-events/event-content.js';
import { nameOf } from './credential-limits.js';
import { type LimitLevel, limitLevels } from './limit-level.js';
import type { CredentialUsage } from './usage-row.js';

const source = 'svc.credential_limit';

interface LimitEvent {
  readonly projectIds: readonly string[];
  /** Of a person's own credential: nobody else sees its event. */
  readonly onlyForUserId: string | null;
  readonly content: Omit<EventContent, 'payloadFingerprint'>;
}

/**
 * The event of a change of level: each rise, a fall to `warning`, and the return to `ok`. A repeat
 * of the change has the same delivery key.
 */
export function limitEventOf(usage: CredentialUsage): LimitEvent | undefined {
  const { owner, movedFrom, level, observedAt, usedIn } = usage;
  const eventType = movedFrom && level && typeOf(movedFrom, level);
  if (!owner || !eventType) return undefined;
  const name = nameOf(usage.credentialReference, owner);
  return {
    projectIds: usedIn.map(({ projectId }) => projectId),
    onlyForUserId: owner.kind === 'user' ? owner.id : null,
    content: {
      source,
      eventType,
      subject: { type: 'credential', id: name.credentialReference },
      severity: severityOf[eventType],
      deliveryKey: deliveryKeyOf(usage),
      metadata: { ...name, credentialSource: owner.kind, ...figuresOf(usage) },
      display: { title: `Credential for ${usage.window.provider}: ${movedFrom} to ${level}` },
      rawPayloadRef: null,
      occurredAt: observedAt,
    },
  };
}

function figuresOf({ window, agentType, movedFrom, level }: CredentialUsage) {
  const { provider, windowType, utilizationPercent = null, resetsAt = null } = window;
  return {
    ...{ provider, windowType, utilizationPercent, resetsAt },
    ...{ agentType: agentType ?? null, previousLevel: movedFrom ?? null, level: level ?? null },
  };
}

const severityOf = {
  'credential.limit.warning': 'warning',
  'credential.limit.critical': 'critical',
  'credential.limit.rejected': 'critical',
  'credential.limit.reset': 'notice',
} as const;
type LimitEventType = keyof typeof severityOf;

/** A fall to `critical` still leaves nothing to do, so it has no event. */
function typeOf(from: LimitLevel, to: LimitLevel): LimitEventType | undefined {
  if (from === to) return undefined;
  if (to === 'ok') return 'credential.limit.reset';
  const isRise = limitLevels.indexOf(to) > limitLevels.indexOf(from);
  return isRise || to === 'warning' ? `credential.limit.${to}` : undefined;
}

const keyDigits = 48;

function deliveryKeyOf({ credentialReference, window, movedFrom, level, observedAt }: CredentialUsage) {
  const parts = [credentialReference, window.windowType, movedFrom, level, observedAt];
  const digest = createHash('sha256').update(parts.join('\0')).digest('hex');
  return `credential-limit:${digest.slice(0, keyDigits)}`;
}

import type { InteractionState } from '../../../protocol/interactions.js';

/** The reply to an answer: it counts, or it does not. */
export type Reply =
  | 'taken'
  | 'refused'
  /** The connection ended before. Only the end of the agent explains it. */
  | 'cut'
  /** None, though the agent lived; or a repeat got another one. */
  | 'no_reply';

export interface GivenAnswer {
  readonly request: string;
  readonly by: 'viewer' | 'api';
  readonly optionId: string;
  readonly reply: Reply;
  readonly from: number;
  readonly to: number;
}

/** The entries that the harness wrote. */
export interface HarnessEntry {
  readonly request: string;
  readonly pid: number;
  readonly at: number;
  /** Of a decision: the option, or `cancelled`. */
  readonly decision?: string;
}

/** The interaction of a request as the control plane has it in the end. */
export interface FinalState {
  readonly request: string;
  readonly interactionId: string;
  readonly state: InteractionState;
  readonly answeredAt: number | null;
  readonly endedAt: number | null;
  readonly isMarked: boolean;
  readonly isInInbox: boolean;
}

export const disruptions = ['kill_harness', 'kill_agent', 'cancel'] as const;
export type Disruption = (typeof disruptions)[number];

export interface Death {
  /** Null: of the agent, and so of every harness. */
  readonly pid: number | null;
  readonly at: number;
}

export interface InteractionHistory {
  readonly requests: string[];
  readonly asked: HarnessEntry[];
  readonly decisions: HarnessEntry[];
  readonly answers: GivenAnswer[];
  readonly finals: FinalState[];
  readonly deaths: Death[];
  /** Faults by name. */
  readonly faults: Map<string, number>;
  /** Items that the inboxes had. */
  readonly inboxItems: Set<string>;
  /** Where a word of a request or answer was readable, an hour after the end. */
  readonly readable: string[];
  readonly searched: { rows: number; objects: number };
}

export const emptyInteractionHistory = (): InteractionHistory => ({
  requests: [],
  asked: [],
  decisions: [],
  answers: [],
  finals: [],
  deaths: [],
  faults: new Map(),
  inboxItems: new Set(),
  readable: [],
  searched: { rows: 0, objects: 0 },
});

export function countFault({ faults }: InteractionHistory, name: string): void {
  faults.set(name, (faults.get(name) ?? 0) + 1);
}

import { spareSeconds } from '../../lambdas/domain/node-client/node-access.js';
import { tokenLifetimeSeconds } from '../../protocol/tokens.js';

/**
 * What a deployment sends to AWS a second, for each unit of its growth. The calls of a turn are
 * those that `npm run bench -- cost` counts: docs/performance.md, "What a task costs".
 */
export interface Loads {
  /** A person with an open console and a live socket. */
  readonly person: Load;
  /** A chat whose agent takes one turn a minute. */
  readonly chat: Load;
  /** A workspace that is started and stopped once an hour. */
  readonly workspace: Load;
}

export interface Load {
  readonly requests: number;
  /** Seconds of functions, which is concurrency. */
  readonly functionSeconds: number;
  readonly signatures: number;
  readonly sagaStarts: number;
  readonly launches: number;
  readonly dnsChanges: number;
  /** Write units of the item that is written most often. */
  readonly hottestWrites: number;
}

/** A console reads its lists every ten seconds. */
const pollsASecond = 1 / 10;
/** Of a function that is warm and makes two calls of the table. */
const secondsARequest = 0.1;
const turnsASecond = 1 / 60;
/** The prompt, two batches of messages, two readings by the stream, and the delivery. */
const functionSecondsATurn = 5 * secondsARequest + 0.5;
/** The prompt and two batches. */
const requestsATurn = 3;
/** Each function that calls a node signs again before the last minute of its token. */
const signaturesASecond = 1 / (tokenLifetimeSeconds.management - spareSeconds);
/** One transaction accepts the message, one settles it; the chat is in an index. */
const chatWritesATurn = 18;
const hour = 3_600;
/** `provision-workspace`, `stop-workspace`. */
const sagasAWorkspace = 2;
const stepsAWorkspace = 9;
/** Ready reports, boot log, status and git tokens. */
const callbacksAWorkspace = 20;

export const loadsOf = ({ nodeCapacity }: { readonly nodeCapacity: number }): Loads => ({
  person: {
    ...nothing,
    requests: pollsASecond,
    functionSeconds: pollsASecond * secondsARequest,
  },
  chat: {
    ...nothing,
    requests: requestsATurn * turnsASecond,
    functionSeconds: functionSecondsATurn * turnsASecond,
    signatures: signaturesASecond,
    hottestWrites: chatWritesATurn * turnsASecond,
  },
  workspace: {
    requests: callbacksAWorkspace / hour,
    functionSeconds: ((callbacksAWorkspace + stepsAWorkspace) * secondsARequest) / hour,
    signatures: sagasAWorkspace / hour,
    sagaStarts: sagasAWorkspace / hour,
    launches: 1 / nodeCapacity / hour,
    // The record of a node is written and deleted.
    dnsChanges: 2 / nodeCapacity / hour,
    // The marker of the sweep is written and deleted, in one partition for all workspaces.
    hottestWrites: 4 / hour,
  },
});

const nothing: Load = {
  requests: 0,
  functionSeconds: 0,
  signatures: 0,
  sagaStarts: 0,
  launches: 0,
  dnsChanges: 0,
  hottestWrites: 0,
};

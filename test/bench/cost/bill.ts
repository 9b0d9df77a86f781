import { prices } from './prices.js';
import type { UsageLine } from './usage.js';

/** Dollars by what they are for. */
export type Bill = Readonly<Record<BillItem, number>>;
export const billItems = [
  'table',
  'functions',
  'requests',
  'live',
  'queues',
  'sagas',
  'keys',
  'rest',
] as const;
export type BillItem = (typeof billItems)[number];

/** Each message is sent, received and deleted. */
const requestsOfMessage = 3;
/** What Lambda itself logs of an invocation, where it is let. */
const logOfInvocation = 400;
/** By so many a message of a socket is paid for. */
const frameBytes = 32 * 1024;
/** Head of an answer. */
const headBytes = 1_000;

/** Functions that nodes call, without CloudFront. */
const ofNodes = /-Callbacks|-TasksStatusCallback/;

const nothing: Bill = { table: 0, functions: 0, requests: 0, live: 0, queues: 0, sagas: 0, keys: 0, rest: 0 };

/**
 * What it costs that was used. What runs by the clock, used or not, is in the bill of an idle
 * month.
 */
export function billOf(lines: readonly UsageLine[]): Bill {
  return lines.map(priced).reduce(plus, nothing);
}

export function plus(one: Bill, other: Bill): Bill {
  return mapBill((item) => one[item] + other[item]);
}

export const times = (bill: Bill, factor: number): Bill => mapBill((item) => bill[item] * factor);

export const totalOf = (bill: Bill): number => billItems.reduce((sum, item) => sum + bill[item], 0);

function mapBill(dollars: (item: BillItem) => number): Bill {
  return { ...nothing, ...Object.fromEntries(billItems.map((item) => [item, dollars(item)])) };
}

function priced(line: UsageLine): Bill {
  switch (line.kind) {
    case 'table':
      return { ...nothing, table: line.read * prices.tableRead + line.write * prices.tableWrite };
    case 'state':
      return { ...nothing, sagas: prices.stateTransition };
    case 'frame':
      return { ...nothing, live: Math.ceil(line.bytes / frameBytes) * prices.socketMessage };
    case 'function':
      return ofFunction(line);
    case 'request':
      return ofRequest(line);
  }
}

function ofFunction(line: Extract<UsageLine, { kind: 'function' }>): Bill {
  const { name, trigger, ms, mb, answered, logged, reported } = line;
  if (trigger === 'schedule') return nothing;
  const functions = prices.invocation + (ms / 1_000) * (mb / 1_024) * prices.gigabyteSecond;
  const rest = ((logged + (reported ? logOfInvocation : 0)) / 1e9) * prices.loggedGigabyte;
  if (trigger === 'socket') return { ...nothing, functions, rest, live: prices.socketMessage };
  if (trigger !== 'http') return { ...nothing, functions, rest };
  const sent = ((answered + headBytes) / 1e9) * prices.answeredGigabyte;
  const front = ofNodes.test(name) ? 0 : prices.frontRequest;
  return { ...nothing, functions, rest, requests: prices.httpRequest + front + sent };
}

/** These follow the age of tokens, not what is done with them. */
export const isSignature = (line: UsageLine): boolean =>
  line.kind === 'request' && line.service === 'kms' && line.action === 'Sign';

function ofRequest({ service, action }: Extract<UsageLine, { kind: 'request' }>): Bill {
  if (service === 'sqs' && action.startsWith('SendMessage'))
    return { ...nothing, queues: requestsOfMessage * prices.queueRequest };
  if (service === 'kms')
    return { ...nothing, keys: action === 'Sign' ? prices.signature : prices.keyRequest };
  if (service === 's3') return { ...nothing, rest: prices.objectRequest };
  if (service === 'secretsmanager') return { ...nothing, rest: prices.secretRequest };
  return nothing;
}

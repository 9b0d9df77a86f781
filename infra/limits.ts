import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Route } from '../lambdas/route-row.js';
import { longestHoldSeconds } from '../lambdas/route-row.js';
import { progressIntervalSeconds } from '../protocol/callbacks.js';

/** Timeout of a route: the longest it can hold its function. API Gateway gives up at 30 s. */
export const timeoutOf = (route: Pick<Route, 'readsNode'>): Duration =>
  Duration.seconds(longestHoldSeconds(route));

/** Longer than the function's timeout, so that the function answers, in our error shape. */
export const integrationTimeoutOf = (route: Pick<Route, 'readsNode'>): Duration =>
  Duration.millis(timeoutOf(route).toMilliseconds() + 1_000);

/**
 * A step makes one outside call of at most 20 s (EC2, a node) with one retry of the SDK: 2 x 20 s +
 * 20 s.
 */
export const stepTimeout = Duration.seconds(60);

/**
 * Six beats of the agent: a node that is silent for so long while it makes a workspace is dead or
 * cut off. Never more than half of the step's own time-out, which Step Functions wants to be the
 * longer one.
 */
export const workspaceBeatSeconds = (readyTimeoutSeconds: number): number =>
  Math.min(6 * progressIntervalSeconds, Math.ceil(readyTimeoutSeconds / 2));

/**
 * The one beat between launch and ready is the redemption of the bootstrap token: two thirds of the
 * time are for it.
 */
export const nodeBootSeconds = (readyTimeoutSeconds: number): number =>
  Math.ceil((readyTimeoutSeconds * 2) / 3);

/** API Gateway waits 29 s for a socket route; ours only touch the table and push one reply. */
export const socketTimeout = Duration.seconds(10);

/** A batch of 25 records to some 10 sockets each at 20 ms a push is 5 s. */
export const streamTimeout = Duration.seconds(30);
export const streamBatchSize = 25;

/**
 * A record older than this is not "live" any more: clients read the present state when they
 * reconnect.
 */
export const streamMaxRecordAge = Duration.minutes(10);
export const streamRetries = 5;

/** With up to a minute between two tries they last through an outage of half an hour. */
export const endRightsRetries = 50;

/** The sweep must end before the next begins. */
export const sweepInterval = Duration.minutes(5);
export const sweepTimeout = Duration.minutes(4);

/** A lost wake-up is sent again within this time. */
export const wakeUpSweepInterval = Duration.minutes(1);
export const wakeUpSweepTimeout = Duration.seconds(30);

/**
 * Up to four calls of a node at 5 s each (what it can, cancel, submit, receipt) and 10 s for the
 * rest.
 */
export const deliveryTimeout = Duration.seconds(30);

/** All browsers of a person at a time, 5 s each at most, and the table. */
export const pushTimeout = Duration.seconds(20);
/** Slow push services hold up no more functions than these. */
export const maxPushWorkers = 10;

/**
 * CPU follows memory: at 512 MB a cold start of our bundles is near its floor, more buys little.
 */
export const functionMemoryMb = 512;

/**
 * Requests a second, over all callers. 200 nodes beating every 30 s are 7, 2,000 open consoles
 * polling every 10 s are 200; 500 bounds what a flood can cost.
 */
export const throttle = { rateLimit: 500, burstLimit: 1_000 };

/**
 * The same of each route that anybody may call. 50 sign-ins a second are more than people begin;
 * what is left of the throttle and of the functions' concurrency serves nodes and signed-in people
 * while somebody floods such a route.
 */
export const anonymousThrottle = { rateLimit: 50, burstLimit: 100 };

/** Six times the consumer's time-out, as SQS asks for event sources, and never below a minute. */
export const queueVisibility = Duration.minutes(3);

/**
 * After this many deliveries a message is the operator's: 5 x 3 min rides out a quarter of an
 * hour's outage.
 */
export const queueMaxReceives = 5;

/** SQS keeps messages for two weeks at most; a dead letter gets all of it. */
export const deadLetterRetention = Duration.days(14);

export const logRetention = RetentionDays.ONE_MONTH;

/** CloudFormation ends at 500 resources a stack; the rest is room for what CDK adds. */
export const maxResourcesAStack = 450;

import { channelSettings } from '../../shared/channel-settings.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { findEvents } from '../project-events/find-event.js';
import { eventKey, ProjectEvent, unmatchedEvents } from '../project-events/project-event.js';
import type { Item } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { eachDue } from '../records/each-due.js';
import { listDue } from '../records/list-due.js';
import { recordChange } from '../records/record-change.js';
import { loadSubscriptions } from './find-subscription.js';
import { listFollowers } from './follower.js';
import { matches } from './matches.js';
import { recordMatch } from './record-match.js';

/** The oldest subscriptions come first; the others do not get the event. */
export const maxMatchesPerEvent = channelSettings.PROJECT_EVENT_MAX_MATCHES;

interface MatchDeps {
  readonly table: Table;
  readonly now: Date;
  readonly log: Log;
}

interface RowChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/**
 * Matches an event when the stream shows its item: the publication of an event costs the same for
 * any number of subscriptions. No table call for another change.
 */
export async function followEvent(deps: MatchDeps, { before, after }: RowChange): Promise<void> {
  if (after?.entity === 'project-event' && !before) await matchEvent(deps, ProjectEvent.parse(after));
}

/**
 * Records an event for the active subscriptions that select it, and before it the publications of
 * its channel that have not been matched yet. Repeatable. Two table calls, one more for a
 * publication, and with matches one more and one for each.
 */
export async function matchEvent(deps: MatchDeps, event: ProjectEvent): Promise<void> {
  for (const each of [...(await unmatchedBefore(deps.table, event)), event]) await matchOne(deps, each);
}

/**
 * The oldest first. The stream keeps the order of the changes of one item only: the event of a
 * later publication can come first, also while another consumer matches the earlier one.
 */
async function unmatchedBefore(
  table: Table,
  { previousEventId }: ProjectEvent,
): Promise<readonly ProjectEvent[]> {
  if (previousEventId === null) return [];
  const [previous] = await findEvents(table, [previousEventId]);
  if (!previous || previous.matchCount !== null) return [];
  return [...(await unmatchedBefore(table, previous)), previous];
}

async function matchOne({ table, now, log }: MatchDeps, event: ProjectEvent): Promise<void> {
  const selected = (await listFollowers(table, event.projectId)).filter((follower) =>
    matches(event, follower),
  );
  if (selected.length > maxMatchesPerEvent)
    log.warn('Event selected by too many subscriptions', {
      eventId: event.eventId,
      selected: selected.length,
    });
  const ids = selected.slice(0, maxMatchesPerEvent).map(({ subscriptionId }) => subscriptionId);
  const subscriptions = await loadSubscriptions(table, ids);
  const matched = await inGroups(subscriptions, (each) => recordMatch(table, each, { event, now }));
  await markMatched(table, event, { count: matched.filter(Boolean).length, now });
}

const groupSize = 10;

/** A few at the same time. */
async function inGroups<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < items.length; from += groupSize)
    results.push(...(await Promise.all(items.slice(from, from + groupSize).map(work))));
  return results;
}

/** The sweep does not look at it any more. */
async function markMatched(
  table: Table,
  { eventId }: ProjectEvent,
  { count, now }: { readonly count: number; readonly now: Date },
): Promise<void> {
  await changeItem(
    table,
    recordChange<ProjectEvent>(eventKey(eventId), {
      set: { matchCount: count },
      index: { parentPk: null, parentSk: null },
      isInternal: true,
      now,
    }),
  );
}

/** The stream has matched an event by then, unless its consumer failed. */
const streamMs = 60_000;
const eventsPerPass = 25;

/** Matches the events that the stream consumer could not. One table call, and those of each. */
export async function matchOverdueEvents(deps: MatchDeps): Promise<void> {
  const overdue = new Date(deps.now.getTime() - streamMs);
  const items = await listDue(deps.table, { partition: unmatchedEvents, now: overdue, limit: eventsPerPass });
  await eachDue(
    items,
    (item) => matchEvent(deps, ProjectEvent.parse(item)),
    ({ eventId }, error) => deps.log.error('Event not matched', { eventId, error }),
  );
}

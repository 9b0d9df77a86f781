/** Of one event source mapping, unless the operator has asked AWS for more. */
export const maxFilters = 5;

/**
 * Changes that are sent to live sockets, that inboxes follow, that end a wait or the agent sessions
 * of a workspace, or are events to match. The filter keeps all other writes from invoking the
 * function.
 */
export const followedChanges = [
  {
    dynamodb: {
      NewImage: {
        entity: {
          S: [
            ...['workspace', 'chat', 'interaction', 'task', 'snapshot', 'inbox-item'],
            // A change of one is rare and has no event.
            ...['message', 'boot-log', 'member'],
          ],
        },
      },
    },
  },
  // That somebody delivers it now is still that it waits, to those who watch. A new one of a person
  // takes the one that failed from the inbox.
  {
    dynamodb: {
      NewImage: { entity: { S: ['prompt'] }, deliveryState: { S: [{ 'anything-but': ['delivering'] }] } },
    },
  },
  // Figures that change the level of a credential.
  {
    dynamodb: {
      NewImage: {
        entity: { S: ['credential-usage'] },
        movedFrom: { S: ['ok', 'warning', 'critical', 'rejected'] },
      },
    },
  },
  { eventName: ['REMOVE'], dynamodb: { OldImage: { entity: { S: ['task', 'snapshot', 'inbox-item'] } } } },
  // In these parts of the index they are new or due.
  {
    dynamodb: {
      NewImage: {
        entity: { S: ['task-wait', 'project-event', 'event-subscription'] },
        parentPk: { S: ['TASKWAITS', 'UNMATCHEDEVENTS', 'DUEEVENTWAKES'] },
      },
    },
  },
];

/**
 * Changes that may end a right. They are rare: of requests only a sign-in, a sign-out, a new
 * project and an end of rights change one of these.
 */
export const endedRights = [
  { eventName: ['REMOVE'], dynamodb: { OldImage: { entity: { S: ['session'] } } } },
  { dynamodb: { OldImage: { entity: { S: ['member', 'user'] } } } },
];

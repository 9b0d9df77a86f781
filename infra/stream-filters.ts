/** Of one event source mapping, unless the operator has asked AWS for more. */
export const maxFilters = 5;

/**
 * Changes that are sent to live sockets or close one, and those that inboxes follow. The filter
 * keeps all other writes from invoking the function.
 */
export const pushedChanges = [
  {
    dynamodb: {
      NewImage: {
        entity: {
          S: [
            ...['workspace', 'chat', 'interaction', 'task', 'snapshot', 'inbox-item'],
            // A change of one is rare and has no event.
            ...['message', 'boot-log'],
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
  {
    eventName: ['REMOVE'],
    dynamodb: { OldImage: { entity: { S: ['session', 'task', 'snapshot', 'inbox-item'] } } },
  },
  // Rare: of requests only a sign-in, a new project and an end of rights change a user.
  { dynamodb: { OldImage: { entity: { S: ['member', 'user'] } } } },
];

/**
 * Only these changes end a wait or the agent sessions of a workspace, or are events to match. No
 * other invokes it.
 */
export const endings = [
  { eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['task-wait', 'project-event'] } } } },
  // The final states of a task, and those in which a workspace loses its agent sessions.
  {
    dynamodb: {
      NewImage: {
        entity: { S: ['task', 'workspace'] },
        status: {
          S: [
            ...['completed', 'failed', 'cancelled'],
            ...['stopping', 'stopped', 'errored', 'deleted', 'pending'],
          ],
        },
      },
    },
  },
  { eventName: ['REMOVE'], dynamodb: { OldImage: { entity: { S: ['task'] } } } },
  {
    eventName: ['MODIFY'],
    dynamodb: { NewImage: { entity: { S: ['event-subscription'] }, parentPk: { S: ['DUEEVENTWAKES'] } } },
  },
  // The end of the prompt of an event wake.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: {
        entity: { S: ['prompt'] },
        sourceKind: { S: ['project_event_wake'] },
        deliveryState: { S: [{ 'anything-but': ['queued', 'delivering', 'retry_wait'] }] },
      },
    },
  },
];

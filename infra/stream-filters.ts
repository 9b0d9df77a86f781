/**
 * Changes that are sent to live sockets or close one, and those that inboxes follow. The filter
 * keeps all other writes from invoking the function.
 */
export const pushedChanges = [
  {
    dynamodb: {
      NewImage: { entity: { S: ['workspace', 'chat', 'interaction', 'task', 'snapshot', 'inbox-item'] } },
    },
  },
  // That somebody delivers it now is still that it waits, to those who watch.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: { entity: { S: ['prompt'] }, deliveryState: { S: [{ 'anything-but': ['delivering'] }] } },
    },
  },
  // The person's next message takes the one that failed from the inbox.
  {
    eventName: ['INSERT'],
    dynamodb: { NewImage: { entity: { S: ['prompt'] }, senderType: { S: ['human'] } } },
  },
  { eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['message', 'boot-log'] } } } },
  {
    eventName: ['REMOVE'],
    dynamodb: { OldImage: { entity: { S: ['session', 'task', 'snapshot', 'inbox-item'] } } },
  },
  { dynamodb: { OldImage: { entity: { S: ['member'] } } } },
  // Rare: of requests only a sign-in, a new project and an end of rights change a user.
  { eventName: ['MODIFY'], dynamodb: { OldImage: { entity: { S: ['user'] } } } },
];

/**
 * Only these changes end a wait or the agent sessions of a workspace, or are events to match. No
 * other invokes it.
 */
export const endings = [
  { eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['task-wait', 'project-event'] } } } },
  {
    dynamodb: { NewImage: { entity: { S: ['task'] }, status: { S: ['completed', 'failed', 'cancelled'] } } },
  },
  { eventName: ['REMOVE'], dynamodb: { OldImage: { entity: { S: ['task'] } } } },
  {
    eventName: ['MODIFY'],
    dynamodb: { NewImage: { entity: { S: ['event-subscription'] }, parentPk: { S: ['DUEEVENTWAKES'] } } },
  },
  // What became of the prompt of an event wake.
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
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: {
        entity: { S: ['workspace'] },
        status: { S: ['stopping', 'stopped', 'errored', 'deleted', 'pending'] },
      },
    },
  },
];

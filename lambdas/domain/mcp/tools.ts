import type { Tool } from './tool.js';
import { ackEventDelivery } from './tools/ack-event-delivery.js';
import { ackMessage } from './tools/ack-message.js';
import { addDependency } from './tools/add-dependency.js';
import { cancelProjectEventSubscription } from './tools/cancel-project-event-subscription.js';
import { catchUpEventChannel } from './tools/catch-up-event-channel.js';
import { claimIncident } from './tools/claim-incident.js';
import { completeTask } from './tools/complete-task.js';
import { createIdea } from './tools/create-idea.js';
import { createProjectEventSubscription } from './tools/create-project-event-subscription.js';
import { dispatchTask } from './tools/dispatch-task.js';
import { exposePort } from './tools/expose-port.js';
import { followEventChannel } from './tools/follow-event-channel.js';
import { getChannelHistory } from './tools/get-channel-history.js';
import { getCredentialLimits } from './tools/get-credential-limits.js';
import { getEvent } from './tools/get-event.js';
import { getIdea } from './tools/get-idea.js';
import { getIncident } from './tools/get-incident.js';
import { getInstructions } from './tools/get-instructions.js';
import { getPendingMessages } from './tools/get-pending-messages.js';
import { getProjectEventSubscription } from './tools/get-project-event-subscription.js';
import { getResourceHistory } from './tools/get-resource-history.js';
import { getSessionMessages } from './tools/get-session-messages.js';
import { getTaskDependencies } from './tools/get-task-dependencies.js';
import { getTaskDetails } from './tools/get-task-details.js';
import { getWorkspaceDiffSummary } from './tools/get-workspace-diff-summary.js';
import { getWorkspaceInfo } from './tools/get-workspace-info.js';
import { listChannelSubscribers } from './tools/list-channel-subscribers.js';
import { listEventChannels } from './tools/list-event-channels.js';
import { listIdeas } from './tools/list-ideas.js';
import { listIncidentQueue } from './tools/list-incident-queue.js';
import { listProjectEventSubscriptions } from './tools/list-project-event-subscriptions.js';
import { listSessions } from './tools/list-sessions.js';
import { listSubscriptionEvents } from './tools/list-subscription-events.js';
import { listTasks } from './tools/list-tasks.js';
import { publishChannelEvent } from './tools/publish-channel-event.js';
import { removePendingSubtask } from './tools/remove-pending-subtask.js';
import { requestHumanInput } from './tools/request-human-input.js';
import { resolveIncident } from './tools/resolve-incident.js';
import { retrySubtask } from './tools/retry-subtask.js';
import { searchTasks } from './tools/search-tasks.js';
import { sendDurableMessage } from './tools/send-durable-message.js';
import { sendMessageToSubtask } from './tools/send-message-to-subtask.js';
import { stopSubtask } from './tools/stop-subtask.js';
import { updateIdea } from './tools/update-idea.js';
import { updateSessionTopic } from './tools/update-session-topic.js';
import { updateTaskStatus } from './tools/update-task-status.js';
import { waitForSubtasks } from './tools/wait-for-subtasks.js';

/** All tools. */
export const tools: readonly Tool[] = [
  getInstructions,
  updateTaskStatus,
  completeTask,
  requestHumanInput,
  dispatchTask,
  waitForSubtasks,
  listTasks,
  getTaskDetails,
  stopSubtask,
  retrySubtask,
  sendMessageToSubtask,
  sendDurableMessage,
  getPendingMessages,
  ackMessage,
  searchTasks,
  getTaskDependencies,
  addDependency,
  removePendingSubtask,
  listSessions,
  getSessionMessages,
  updateSessionTopic,
  getWorkspaceInfo,
  getWorkspaceDiffSummary,
  getCredentialLimits,
  getResourceHistory,
  exposePort,
  createIdea,
  updateIdea,
  getIdea,
  listIdeas,
  createProjectEventSubscription,
  listProjectEventSubscriptions,
  getProjectEventSubscription,
  cancelProjectEventSubscription,
  listSubscriptionEvents,
  getEvent,
  ackEventDelivery,
  listEventChannels,
  publishChannelEvent,
  getChannelHistory,
  followEventChannel,
  catchUpEventChannel,
  listChannelSubscribers,
  listIncidentQueue,
  getIncident,
  claimIncident,
  resolveIncident,
];

import type { Tool } from './tool.js';

const id = '01JD3ZK5W8Q2V7N4B6M9X0TRGH';

/** Arguments of one call, by tool: models copy the form of an example more surely than a schema. */
export const toolExamples: Readonly<Record<string, object>> = {
  update_task_status: { message: 'The parser reads all files. Next: its error messages.' },
  complete_task: { summary: 'Added the parser. All tests pass.' },
  request_human_input: {
    context: 'The table has 2 million rows. May I drop the column?',
    category: 'approval',
    options: ['Drop it', 'Keep it'],
  },
  dispatch_task: {
    description: 'Write tests for src/parser.ts.\nUse the style of the present ones.',
    references: ['src/parser.ts'],
    idempotencyKey: 'parser-tests',
  },
  wait_for_subtasks: { taskIds: [id], waitKey: 'parser-1', condition: 'all', wakeAfterSeconds: 3_600 },
  list_tasks: { status: 'in_progress', limit: 20 },
  get_task_details: { taskId: id },
  stop_subtask: { taskId: id, reason: 'Another subtask has done it.' },
  retry_subtask: { taskId: id, newDescription: 'Write tests for src/parser.ts. Do not change it.' },
  send_message_to_subtask: { taskId: id, message: 'Test the empty file too.' },
  send_durable_message: { targetTaskId: id, message: 'The interface has changed.', messageClass: 'deliver' },
  ack_message: { messageId: id },
  search_tasks: { query: 'parser', status: 'completed' },
  get_task_dependencies: { taskId: id },
  add_dependency: { taskId: id, dependsOnTaskId: '01JD3ZK5W8Q2V7N4B6M9X0TRGJ' },
  remove_pending_subtask: { taskId: id },
  list_sessions: { status: 'active' },
  get_session_messages: { sessionId: id, limit: 20, roles: ['user', 'assistant'] },
  update_session_topic: { topic: 'Tests for the parser' },
  expose_port: { port: 3_000 },
  create_idea: { title: 'Cache the parsed files', content: 'Parsing takes 3 s of each start.' },
  update_idea: { ideaId: id, content: 'Measured again: 2 s.', append: true },
  get_idea: { ideaId: id },
  list_ideas: { status: 'ready' },
  list_project_event_subscriptions: { state: 'any' },
  get_project_event_subscription: { subscriptionId: id },
  cancel_project_event_subscription: { subscriptionId: id, reason: 'The check has passed.' },
  list_subscription_events: { subscriptionId: id, limit: 20 },
  get_event: { eventId: id },
  ack_event_delivery: { deliveryId: id },
  list_event_channels: { limit: 20 },
  publish_channel_event: {
    channel: 'parser',
    message: 'I change src/lexer.ts now.',
    idempotencyKey: 'lexer-begin',
  },
  get_channel_history: { channel: 'parser', limit: 20 },
  follow_event_channel: { channel: 'parser', idempotencyKey: 'follow-parser' },
  catch_up_event_channel: { subscriptionId: id },
  list_channel_subscribers: { channel: 'parser' },
  get_incident: { incidentId: id },
  claim_incident: { incidentId: id },
  resolve_incident: {
    incidentId: id,
    claimToken: 'the claimToken',
    outcome: 'resolved',
    fixPrUrl: 'https://github.com/octo/hello/pull/12',
  },
};

/** The description of a tool for a model. */
export function descriptionOf({ name, description }: Pick<Tool, 'name' | 'description'>): string {
  const example = toolExamples[name];
  return example ? `${description} Example: ${JSON.stringify(example)}.` : description;
}

import { describe, expect, it } from 'vitest';
import { fullTrust } from '../launch/launch-trust.js';
import { resolveLaunch } from '../launch/resolve-launch.js';
import { instructionsOf } from './instructions.js';
import { newTask } from './task.js';

const id = '01JD0000000000000000000000';
const asked = { taskId: id, projectId: id, userId: id, title: 'Fix the door', outputBranch: 'svc/fix' };
const tools = ['get_instructions', 'complete_task', 'request_human_input'];

const instructions = (agentType: 'claude-code' | 'amp', taskMode: 'task' | 'conversation') =>
  instructionsOf(
    newTask({ ...asked, taskMode }, new Date()),
    resolveLaunch({ request: { agentType } }, fullTrust),
  );

describe('the instructions of an agent', () => {
  it('name the tools that complete the task', () => {
    for (const tool of tools) expect(instructions('claude-code', 'task')).toContain(tool);
    expect(instructions('claude-code', 'conversation')).toContain('get_instructions');
  });

  it.each(['task', 'conversation'] as const)('name no tools in a %s of an agent without tools', (mode) => {
    for (const tool of tools) expect(instructions('amp', mode)).not.toContain(tool);
    expect(instructions('amp', mode)).toContain('end your turn');
  });

  it.each(['claude-code', 'amp'] as const)(
    'contain the branch, then the context and the appended prompt, for %s',
    (agentType) => {
      const task = newTask({ ...asked, contextSummary: 'It squeaked' }, new Date());
      const launch = resolveLaunch(
        { request: { agentType }, project: { systemPromptAppend: 'Be kind' } },
        fullTrust,
      );

      expect(instructionsOf(task, launch)).toMatch(/branch svc\/fix\.[\s\S]*It squeaked\n\nBe kind$/);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { resolveLaunch } from '../launch/resolve-launch.js';
import { instructionsOf } from './instructions.js';
import { newTask } from './task.js';

const id = '01JD0000000000000000000000';
const asked = { taskId: id, projectId: id, userId: id, title: 'Fix the door', outputBranch: 'svc/fix' };
const tools = ['get_instructions', 'complete_task', 'request_human_input'];

const told = (agentType: 'claude-code' | 'amp', taskMode: 'task' | 'conversation') =>
  instructionsOf(newTask({ ...asked, taskMode }, new Date()), resolveLaunch({ request: { agentType } }));

describe('what an agent is told beside its message', () => {
  it('names the tools that end its task', () => {
    for (const tool of tools) expect(told('claude-code', 'task')).toContain(tool);
    expect(told('claude-code', 'conversation')).toContain('get_instructions');
  });

  it.each(['task', 'conversation'] as const)('names no tools in a %s to one that can have none', (mode) => {
    for (const tool of tools) expect(told('amp', mode)).not.toContain(tool);
    expect(told('amp', mode)).toContain('end your turn');
  });

  it.each(['claude-code', 'amp'] as const)('has the branch, then what people add, for %s', (agentType) => {
    const task = newTask({ ...asked, contextSummary: 'It squeaked' }, new Date());
    const launch = resolveLaunch({ request: { agentType }, project: { systemPromptAppend: 'Be kind' } });

    expect(instructionsOf(task, launch)).toMatch(/branch svc\/fix\.[\s\S]*It squeaked\n\nBe kind$/);
  });
});

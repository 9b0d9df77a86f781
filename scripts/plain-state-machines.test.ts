import { expect, it } from 'vitest';
import { plainStateMachines } from './plain-state-machines.js';

const machine = (DefinitionString: unknown) => ({
  Resources: {
    Saga: { Type: 'AWS::StepFunctions::StateMachine', Properties: { DefinitionString } },
    Table: { Type: 'AWS::DynamoDB::Table' },
  },
});

it('a definition with references becomes a plain text, without other resources', () => {
  const { Resources } = plainStateMachines(
    machine({ 'Fn::Join': ['', ['{"Resource":"', { 'Fn::GetAtt': ['Step', 'Arn'] }, '"}']] }),
  );

  expect(Object.keys(Resources)).toEqual(['Saga']);
  expect(Resources.Saga?.Properties?.DefinitionString).toBe(
    '{"Resource":"arn:aws:lambda:us-east-1:123456789012:function:step"}',
  );
});

it('a definition that is not JSON is refused, because cfn-lint ignores it', () => {
  expect(() => plainStateMachines(machine('{'))).toThrow(SyntaxError);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of a state machine, not template strings
import { describe, expect, it } from 'vitest';
import { fillDefinition, stateName } from './saga-definition.js';

const substitutions = { arns: new Map([['LaunchNode', 'arn:launch']]), numbers: { ReadySeconds: 900 } };

describe('fillDefinition', () => {
  it('puts ARNs in as text and numbers as numbers, wherever they are', () => {
    const definition = {
      States: { A: { Arguments: { F: '${LaunchNode}' }, TimeoutSeconds: '${ReadySeconds}' } },
    };
    expect(fillDefinition(definition, substitutions)).toEqual({
      States: { A: { Arguments: { F: 'arn:launch' }, TimeoutSeconds: 900 } },
    });
  });

  it('leaves JSONata, booleans, null and lists as they are', () => {
    const definition = { a: '{% $states.input.x %}', b: [true, null, 1], c: 'costs ${5}' };
    expect(fillDefinition(definition, substitutions)).toEqual(definition);
  });

  it('refuses a name that is no step of the saga', () => {
    expect(() => fillDefinition({ Resource: '${Unknown}' }, substitutions)).toThrow('${Unknown}');
  });
});

describe('stateName', () => {
  it('is the PascalCase of the file', () => {
    expect(stateName('create-on-node')).toBe('CreateOnNode');
  });
});
